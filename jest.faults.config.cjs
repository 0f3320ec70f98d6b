/**
 * The suite of faults that take minutes (`npm run test:faults`): failover, full disks, builds that roll back and forth, a
 * worker without a processor, wrong clocks.
 */
const { cacheDirectory, projects, testTimeout } = require('./jest.config.cjs');

const [, servers] = projects;

module.exports = {
  ...servers,
  cacheDirectory,
  displayName: 'faults',
  testMatch: ['<rootDir>/test/chaos/*.faults.test.ts'],
  testTimeout,
  // One file at a time: one of them leaves hardly any processor to others.
  maxWorkers: 1,
};
