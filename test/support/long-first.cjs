const { sep } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that take most of a minute or more although they are small. */
const LONG = [
  'client/package.test.ts',
  'e2e/transfer.server.test.ts',
  'e2e/other-bank.server.test.ts',
  'chaos/outages.server.test.ts',
  'chaos/killed-worker.server.test.ts',
  'chaos/slow-steps.server.test.ts',
  'simulate/simulate.server.test.ts',
  'worker/failing-activities.server.test.ts',
  'e2e/poll-errors.server.test.ts',
  'e2e/cost.server.test.ts',
  'e2e/histories.server.test.ts',
  'e2e/storm.server.test.ts',
  'e2e/restored-journal.server.test.ts',
  'e2e/unreadable-payloads.server.test.ts',
  'explore/explore.test.ts',
  'domain/transfer/properties.test.ts',
].map((file) => ['', 'test', ...file.split('/')].join(sep));

/**
 * Jest starts large files first as long as it has not measured them, so in a fresh checkout the tests that wait longest
 * would start last, and the run would wait for them alone. Once measured, the longest start first.
 */
module.exports = class LongFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path, duration }) => duration === undefined && LONG.some((file) => path.endsWith(file));
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};
