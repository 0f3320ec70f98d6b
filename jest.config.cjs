const { totalmem } = require('node:os');

/**
 * Two suites: `unit` needs nothing; `servers` (files named *.server.test.ts) runs on a real Temporal server and a
 * real PostgreSQL, which its global set-up starts once. Apart from them: one that needs a browser (jest.ui.config.cjs),
 * one that takes minutes (jest.faults.config.cjs).
 */
// In the checkout: left in the temporary folder it would be what stays behind after `npm test`.
const cacheDirectory = '<rootDir>/.giro/jest-cache';

/** Memory for each process of tests, with the servers and workers that its tests start. */
const WORKER_BYTES = 3 * 1024 ** 3;

const common = {
  cacheDirectory,
  testEnvironment: '<rootDir>/test/support/plain-environment.cjs',
  runtime: '<rootDir>/test/support/plain-runtime.cjs',
  transform: {
    // jose is ES modules alone, which jest loads only behind a flag.
    '^.+\\.ts$|/node_modules/jose/.+\\.js$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: ['/node_modules/(?!jose/)'],
  moduleFileExtensions: ['ts', 'js', 'json', 'node'],
  // As the package's exports say, from the sources.
  moduleNameMapper: { '^giro/client$': '<rootDir>/src/client/index.ts' },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

module.exports = {
  cacheDirectory,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.(server|ui|faults)\\.test\\.ts$'],
    },
    {
      ...common,
      displayName: 'servers',
      testMatch: ['<rootDir>/test/**/*.server.test.ts'],
      globalSetup: '<rootDir>/test/support/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/global-teardown.ts',
    },
  ],
  testSequencer: '<rootDir>/test/support/long-first.cjs',
  // Long enough for a very busy machine; a test that passes does not wait for it.
  testTimeout: 600_000,
  // More than the processors of a small machine: most of a server test is waiting for the bank's cadence.
  maxWorkers: Math.max(4, Math.min(7, Math.floor(totalmem() / WORKER_BYTES))),
};
