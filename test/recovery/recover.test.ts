import { recover } from '../../src/recovery/recover';
import type { RunState, TransferRuns } from '../../src/recovery/port';

const QUARTER_HOUR_MS = 15 * 60_000;
const ORIGIN_ID = 1;

interface Situation {
  readonly state: RunState;
  readonly quietMs: number;
  readonly hintStranded: TransferRuns['hintStranded'];
}

/** A recovery of one open transfer whose run is not lost. */
function recoverOne({ state, quietMs, hintStranded }: Situation, dryRun = false) {
  return recover({
    journal: {
      leastRecentlyCheckedTransfers: ({ after }) =>
        Promise.resolve({ began: '0', turns: after === null ? [{ originId: ORIGIN_ID, quietMs }] : [] }),
      markTransfersChecked: () => Promise.resolve(),
      unfinishedTransfer: () => Promise.reject(new Error('no run is started')),
    },
    runs: {
      observe: () => Promise.resolve(state),
      start: () => Promise.reject(new Error('no run is started')),
      hintStranded,
      isAway: () => true,
    },
    ...{ checksMax: 1, startsMax: 1, dryRun },
  });
}

const idle = (hintStranded: Situation['hintStranded']): Situation => ({
  ...{ state: 'idle', quietMs: QUARTER_HOUR_MS + 1, hintStranded },
});
const failed = (reason: string) => [{ originId: ORIGIN_ID, reason }];

test('an idle run that has been quiet is hinted if it is stranded', async () => {
  const dryRuns: boolean[] = [];
  const stranded = idle((_, { dryRun }) => {
    dryRuns.push(dryRun);
    return Promise.resolve('hinted');
  });
  expect(await recoverOne(stranded)).toMatchObject({ recovered: [ORIGIN_ID], failed: [] });
  expect(await recoverOne(stranded, true)).toMatchObject({ recovered: [ORIGIN_ID], failed: [] });
  expect(dryRuns).toEqual([false, true]);
});

test('one that a timer will continue is left alone', async () => {
  const waits = idle(() => Promise.resolve('waits'));
  expect(await recoverOne(waits)).toMatchObject({ recovered: [], failed: [] });
});

test('one that a hint did not help is reported', async () => {
  const stranded = idle(() => Promise.resolve('stranded'));
  expect(await recoverOne(stranded)).toMatchObject({ recovered: [], failed: failed('STRANDED') });
});

test('a history that cannot be read does not end the recovery, whatever the error', async () => {
  const unreadable = idle(() => Promise.reject(new Error('permission denied')));
  expect(await recoverOne(unreadable)).toMatchObject({ checked: 1, failed: failed('UNEXPECTED') });
});

test.each<[string, Partial<Situation>]>([
  ['that is not idle', { state: 'open' }],
  ['with a request within a quarter of an hour', { quietMs: QUARTER_HOUR_MS }],
])('the history of a run %s is not read', async (_, change) => {
  const run = { ...idle(() => Promise.reject(new Error('read'))), ...change };
  expect(await recoverOne(run)).toMatchObject({ checked: 1, recovered: [], failed: [] });
});
