import { recover } from '../../src/recovery/recover';
import type { RunState } from '../../src/recovery/port';
import type { AttentionReason } from '../../src/domain/transfer/flags';

const QUARTER_HOUR_MS = 15 * 60_000;
const ORIGIN_ID = 1;

interface Situation {
  readonly state: RunState;
  readonly quietMs: number;
  readonly sends: number;
  readonly attentionReasons: readonly AttentionReason[];
  readonly isStranded: boolean;
}

/** A recovery of one open transfer, with its calls. */
async function recoverOne(
  { state, quietMs, sends, attentionReasons, isStranded }: Situation,
  rest: { readonly dryRun?: boolean } = {},
) {
  const resets: { readonly dryRun: boolean }[] = [];
  const { recovered } = await recover({
    journal: {
      leastRecentlyCheckedTransfers: ({ after }) =>
        Promise.resolve({ began: '0', turns: after === null ? [{ originId: ORIGIN_ID, quietMs }] : [] }),
      markTransfersChecked: () => Promise.resolve(),
      unfinishedTransfer: () => Promise.reject(new Error('no run is started')),
      transfer: () => Promise.resolve({ result: null, sends, attentionReasons } as never),
    },
    runs: {
      observe: () => Promise.resolve(state),
      start: () => Promise.reject(new Error('no run is started')),
      resetStranded: (_, options) => {
        resets.push(options);
        return Promise.resolve(isStranded);
      },
      isAway: () => false,
    },
    ...{ checksMax: 1, startsMax: 1, ...rest },
  });
  return { recovered, resets };
}

const STRANDED: Situation = {
  ...{ state: 'waiting', quietMs: QUARTER_HOUR_MS + 1, sends: 1, attentionReasons: [], isStranded: true },
};

test('a waiting run that has been quiet, and that nothing continues, is reset', async () => {
  expect(await recoverOne(STRANDED)).toEqual({ recovered: [ORIGIN_ID], resets: [{ dryRun: false }] });
  expect(await recoverOne(STRANDED, { dryRun: true })).toEqual({
    ...{ recovered: [ORIGIN_ID], resets: [{ dryRun: true }] },
  });
  const flagged: Situation = { ...STRANDED, attentionReasons: ['OPEN_TOO_LONG'] };
  expect((await recoverOne(flagged)).recovered).toEqual([ORIGIN_ID]);
  const heldAfterSend: Situation = { ...STRANDED, attentionReasons: ['ECHO_MISMATCH'] };
  expect((await recoverOne(heldAfterSend)).recovered).toEqual([ORIGIN_ID]);
});

test('a run with a timer is left alone', async () => {
  expect((await recoverOne({ ...STRANDED, isStranded: false })).recovered).toEqual([]);
});

test.each<[string, Partial<Situation>]>([
  ['has a task', { state: 'busy' }],
  ['asked a quarter of an hour ago', { quietMs: QUARTER_HOUR_MS }],
  ['is held, with nothing sent: it waits for operators', { sends: 0, attentionReasons: ['ORDER_TAMPERED'] }],
])('a run that %s: its history is not read', async (_, change) => {
  expect(await recoverOne({ ...STRANDED, ...change })).toEqual({ recovered: [], resets: [] });
});
