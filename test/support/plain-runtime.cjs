const { sep } = require('node:path');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** By file: the text as it was compiled, and what came of it. As long as the process lives. */
const kept = new Map();
/** Texts of installed packages, by file: no run of tests changes them. */
const texts = new Map();
const PACKAGES = `${sep}node_modules${sep}`;

/**
 * Jest's runtime, which keeps what it has read and compiled for the next test files of the same process. Jest's own does
 * both again for each file: that takes half of the time to load what a test needs.
 *
 * Only code is kept. Each test file still evaluates it in a context of its own: it shares no object, no mock and no
 * module state with another.
 */
module.exports = class PlainRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, cacheFS, coverageOptions, ...others) {
    super(config, environment, resolver, transformer, cacheFS, coverageOptions, ...others);
    // Coverage counts from the module's first character. ES modules (`--experimental-vm-modules`) need jest's `import()`.
    if (coverageOptions?.collectCoverage || typeof vm.SyntheticModule === 'function') return;
    const { executor, fileCache } = this;
    const compile = executor.compile.bind(executor);
    const read = fileCache.readFile.bind(fileCache);
    fileCache.readFile = (filename) => textOf(filename, read);
    const head = `(function (${executor.injectedModuleParameters.join(', ')}) {`;
    executor.compile = (source, filename) => {
      const context = environment.getVmContext();
      const script = context === null ? null : scriptOf(head, source, filename);
      // Jest says what is wrong with a text that is none.
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
    // Places in stack traces are those in the module.
    const options = { filename, columnOffset: -head.length };
    const script = new vm.Script(`${head}${source}\n})`, options);
    kept.set(filename, { head, source, script });
    return script;
  } catch {
    return null;
  }
}
