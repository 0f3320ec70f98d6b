/** The suite that drives the Temporal UI with a browser (`npm run test:ui`); it starts its own servers. */
const { cacheDirectory, projects } = require('./jest.config.cjs');

const [{ testPathIgnorePatterns: _, ...common }] = projects;

module.exports = {
  ...common,
  cacheDirectory,
  displayName: 'ui',
  testMatch: ['<rootDir>/test/ui/**/*.ui.test.ts'],
  testTimeout: 600_000,
  // One thing after the other, as one operator does.
  maxWorkers: 1,
};
