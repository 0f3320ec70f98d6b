const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** A time limit is only there to end a test that hangs; a busy machine may need more than the test's own limit. */
const LIMIT_MIN_MS = 600_000;

/**
 * Jest's environment for Node with a plain context. In jest's own context, each use of a global (`Math`, `Object`,
 * `JSON`) goes through an interceptor and a Proxy, which takes most of the time of a loop that uses one.
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
