const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** A test's time limit only ends a test that hangs. A busy machine may need more than the limit in the test file. */
const LIMIT_MIN_MS = 600_000;

/**
 * Jest's environment for Node.js with a plain context. In jest's own context, each use of a global (`Math`, `Object`,
 * `JSON`) goes through an interceptor and a Proxy, which dominates the time of tight loops.
 */
module.exports = class PlainEnvironment extends TestEnvironment {
  constructor(...given) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
  }

  handleTestEvent({ name, test, hook }) {
    const limited = { test_start: test, hook_start: hook }[name];
    if (limited?.timeout) limited.timeout = Math.max(limited.timeout, LIMIT_MIN_MS);
  }
};
