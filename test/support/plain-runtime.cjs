const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** Compiled modules of this worker, by file. */
const kept = new Map();

module.exports = class KeepingRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    const { executor, _environment: environment } = this;
    const compile = executor.compile.bind(executor);
    const parameters = executor.injectedModuleParameters.join(',');
    const head = `(function(${parameters}){`;
    executor.compile = (source, filename) => {
      const context = environment.getVmContext();
      if (context === null || typeof vm.SyntheticModule === 'function') return compile(source, filename);
      let known = kept.get(filename);
      if (known?.source !== source) {
        try {
          const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
          known = { source, script };
        } catch {
          return compile(source, filename);
        }
        kept.set(filename, known);
      }
      return known.script.runInContext(context);
    };
  }
};
