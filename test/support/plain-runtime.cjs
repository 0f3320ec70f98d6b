const { sep } = require('node:path');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** By file: its text and the compiled script, kept for as long as the process lives. */
const kept = new Map();
/** By file: the texts of installed packages, which no test changes. */
const texts = new Map();
const PACKAGES = `${sep}node_modules${sep}`;

/**
 * Jest's runtime, except that the next test files of the same process find files already read and compiled. Jest reads
 * and compiles them again for each test file, which takes half of the time to load the modules of a test.
 *
 * Only code is shared. Each test file evaluates the code in its own context, so test files share no objects, no mocks
 * and no module state.
 */
module.exports = class PlainRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, cacheFS, coverageOptions, ...others) {
    super(config, environment, resolver, transformer, cacheFS, coverageOptions, ...others);
    // Coverage needs unchanged positions, and ES modules (`--experimental-vm-modules`) need jest's `import()`.
    if (coverageOptions?.collectCoverage || typeof vm.SyntheticModule === 'function') return;
    const { executor, fileCache } = this;
    const compile = executor.compile.bind(executor);
    const read = fileCache.readFile.bind(fileCache);
    fileCache.readFile = (filename) => textOf(filename, read);
    const head = `(function (${executor.injectedModuleParameters.join(', ')}) {`;
    executor.compile = (source, filename) => {
      const context = environment.getVmContext();
      const script = context === null ? null : scriptOf(head, source, filename);
      // Jest's own compilation reports a syntax error well.
      return script === null ? compile(source, filename) : script.runInContext(context);
    };
  }
};

function textOf(filename, read) {
  if (!filename.includes(PACKAGES)) return read(filename);
  let text = texts.get(filename);
  if (text === undefined) texts.set(filename, (text = read(filename)));
  return text;
}

function scriptOf(head, source, filename) {
  const known = kept.get(filename);
  if (known?.head === head && known.source === source) return known.script;
  try {
    // So that positions in stack traces are those of the module.
    const options = { filename, columnOffset: -head.length };
    const script = new vm.Script(`${head}${source}\n})`, options);
    kept.set(filename, { head, source, script });
    return script;
  } catch {
    return null;
  }
}
