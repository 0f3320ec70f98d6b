/**
 * The suite of faults that take minutes (`npm run test:faults`): failover, full disks, builds that roll back and forth.
 */
const { cacheDirectory, projects, testTimeout } = require('./jest.config.cjs');

const [, servers] = projects;

module.exports = {
  ...servers,
  cacheDirectory,
  displayName: 'faults',
  testMatch: ['<rootDir>/test/chaos/*.faults.test.ts'],
  testTimeout,
  maxWorkers: 3,
};
