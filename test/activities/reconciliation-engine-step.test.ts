import { MockActivityEnvironment } from '@temporalio/testing';
import { InquiryThrottle } from '../../src/activities/reconciliation/inquiry-throttle';
import type { ReconciliationContext, StepResult } from '../../src/activities/reconciliation/context';
import { engineStep, missingStep, referencesStep } from '../../src/activities/reconciliation/engine-step';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import type { RunState } from '../../src/reconciliation/books';
import type { KnownBreak } from '../../src/reconciliation/break-life';
import type { Cursor } from '../../src/reconciliation/run-cursor';
import { startOf } from '../../src/reconciliation/run-cursor';

/** originIds that the journal has no transfer of: page by page, each once, and asked about once. */

const AS_OF = '2026-03-05T12:00:00Z';
const WINDOW = {
  ...{ asOf: AS_OF, from: '2026-03-03T03:00:00Z', to: AS_OF, isDefault: true, statementId: null },
};

interface Books {
  /** With a break that is open. */
  readonly missing?: readonly number[];
  /** Answers of this run that the journal holds. */
  readonly heard?: readonly number[];
  readonly started?: readonly number[];
  readonly bound?: readonly number[];
  readonly run?: RunState;
}

/** Runs the steps of a phase on the test's books; the bank knows no transfer. */
class Played {
  readonly asked: number[] = [];
  private readonly throttle = new InquiryThrottle(createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 }), {
    hasGivenUpBefore: false,
    pollActiveMs: 5_000,
  });
  private readonly context: ReconciliationContext;

  constructor({ missing = [], heard = [], started = [], bound = [], run = { kind: 'missing' } }: Books) {
    const known = (originId: number): KnownBreak[] =>
      missing.includes(originId)
        ? [
            {
              version: 1,
              break: { class: 'MISSING_IN_JOURNAL', state: 'open', originId, lastSeen: AS_OF } as never,
            },
          ]
        : [];
    const journal = {
      missingInJournal: ({ after, limit }: { after: number; limit: number }) =>
        Promise.resolve(missing.filter((one) => one > after).slice(0, limit)),
      knownBreaks: ({ originIds }: { originIds: readonly number[] }) =>
        Promise.resolve(originIds.flatMap(known)),
      unknownOriginIds: (originIds: readonly number[]) => Promise.resolve(originIds),
      boundWithoutTransfer: () => Promise.resolve(bound),
      inquiriesOf: ({ originIds }: { originIds: readonly number[] }) =>
        Promise.resolve(
          originIds
            .filter((one) => heard.includes(one))
            .map((originId) => ({ originId, answer: { kind: 'not-found' }, at: AS_OF })),
        ),
      claimInquiry: ({ originId }: { originId: number }) => {
        this.asked.push(originId);
        const claimed = { kind: 'claimed', as: 'inquiry', number: 1, order: null, result: null };
        return Promise.resolve({ ...claimed, claimAgeMs: 0 });
      },
      recordInquiry: () => Promise.resolve(null),
    };
    this.context = {
      journal,
      bank: { getMovement: () => Promise.resolve({ kind: 'not-found' }) },
      engine: {
        observe: () => Promise.resolve(run),
        started: () => Promise.resolve({ originIds: started, token: null }),
      },
      settings: DEFAULT_TRANSFER_SETTINGS,
    } as unknown as ReconciliationContext;
  }

  async step(which: typeof engineStep, cursor: Cursor): Promise<StepResult> {
    const { context, throttle } = this;
    const work = { window: WINDOW, cursor, throttle };
    const result: unknown = await new MockActivityEnvironment().run(which, context, work);
    return result as StepResult;
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

test('those of earlier runs are gone through page by page', async () => {
  const played = new Played({ missing: upTo(250) });
  const pages: number[] = [];
  let at: Cursor | null = startOf('missing');
  while (at?.phase === 'missing') {
    const before = played.asked.length;
    at = (await played.step(missingStep, at)).next;
    pages.push(played.asked.length - before);
  }
  expect(pages).toEqual([100, 100, 50]);
  expect(new Set(played.asked).size).toBe(250);
  expect(at).toEqual(startOf('engine'));
});

test('a repeated step takes no permit for answers that it has received', async () => {
  const played = new Played({ missing: upTo(20), heard: upTo(15) });
  await played.step(missingStep, startOf('missing'));
  expect(played.asked.sort((a, b) => a - b)).toEqual([16, 17, 18, 19, 20]);
});

test.each([
  ['engine', engineStep],
  ['references', referencesStep],
] as const)('one that an earlier run missed is counted once: not again by %s', async (phase, which) => {
  const played = new Played({ missing: [1], started: [1, 2], bound: [1, 2] });
  await played.step(which, startOf(phase));
  expect(played.asked).toEqual([2]);
});

test.each([
  ['engine', engineStep],
  ['references', referencesStep],
] as const)(
  'while the engine cannot be asked, %s asks the bank about nobody, and says so',
  async (phase, which) => {
    const played = new Played({ started: [7], bound: [7], run: { kind: 'unknown' } });
    const { found, notAsked } = await played.step(which, startOf(phase));
    expect(played.asked).toEqual([]);
    expect(found).toEqual([]);
    expect(notAsked).toEqual([{ originId: 7, book: 'engine', reason: 'ENGINE_UNREACHABLE' }]);
  },
);
