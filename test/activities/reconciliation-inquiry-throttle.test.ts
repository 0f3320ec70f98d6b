import { MockActivityEnvironment } from '@temporalio/testing';
import { InquiryThrottle } from '../../src/activities/reconciliation/inquiry-throttle';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import type { BankLimiter } from '../../src/bank/limiter/limiter';
import type { LookupReply } from '../../src/bank/movements/port';
import { inParallel } from '../../src/activities/in-parallel';

/** Inquiries of one step, at a bank that becomes unreachable and returns, on a virtual clock. */

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const POLL_ACTIVE_MS = 5_000;
const ANSWER_MS = 20;
const QUESTIONS_AT_ONCE = 10;
const GONE: LookupReply = {
  kind: 'no-answer',
  error: { code: 'CONNECTION_REFUSED', httpStatus: null, retryAfterMs: null },
};
const FOUND: LookupReply = { kind: 'not-found' };

interface Played {
  readonly answered: number;
  readonly skipped: number;
  /** Why it was not asked. */
  readonly reasons: readonly string[];
  readonly tookMs: number;
  readonly isAway: boolean;
}

/** One step of `questions`; `bank` says by the time since the step began, and the inquiry's number, how it answers. */
async function step(
  questions: number,
  bank: (sinceMs: number, question: number) => LookupReply,
  {
    limiter = createBankLimiter({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS }),
    wasAway = false,
  }: { limiter?: Pick<BankLimiter, 'admit'>; wasAway?: boolean } = {},
): Promise<Played> {
  const throttle = new InquiryThrottle(limiter, { hasGivenUpBefore: wasAway, pollActiveMs: POLL_ACTIVE_MS });
  const startMs = performance.now();
  let [answered, skipped, tookMs] = [0, 0, -1];
  const reasons = new Set<string>();
  const work = new MockActivityEnvironment().run(async () => {
    await inParallel(
      Array.from({ length: questions }, (_, i) => i),
      QUESTIONS_AT_ONCE,
      async (question) => {
        const asked = await throttle.ask(async ({ received }) => {
          await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
          const reply = bank(performance.now() - startMs, question);
          received(reply);
          return reply.kind;
        });
        if (asked.kind === 'not-asked') {
          skipped += 1;
          reasons.add(asked.reason);
        } else if (asked.result !== 'no-answer') answered += 1;
      },
    );
    tookMs = performance.now() - startMs;
  });
  for (let i = 0; i < 2_400 && tookMs < 0; i += 1) await jest.advanceTimersByTimeAsync(500);
  await work;
  return { answered, skipped, reasons: [...reasons], tookMs, isAway: throttle.hasGivenUp };
}

test('a bank that is away for four seconds costs only the inquiries that it did not answer', async () => {
  const played = await step(200, (sinceMs) => (sinceMs < 4_000 ? GONE : FOUND));
  expect(played.skipped).toBe(0);
  expect(played.answered).toBeGreaterThanOrEqual(170);
  expect(played.isAway).toBe(false);
});

test('one that stays away is waited for half a minute, however many wait', async () => {
  const played = await step(200, () => GONE);
  expect(played).toMatchObject({ answered: 0, reasons: ['BANK_UNREACHABLE'], isAway: true });
  expect(played.skipped).toBeGreaterThan(150);
  expect(played.tookMs).toBeGreaterThan(20_000);
  expect(played.tookMs).toBeLessThan(45_000);
});

test("after a step that found it away: one inquiry decides, and an answer restores the step's give-up limit", async () => {
  const gone = await step(200, () => GONE, { wasAway: true });
  expect(gone).toMatchObject({ answered: 0, isAway: true });
  expect(gone.tookMs).toBeLessThan(2 * POLL_ACTIVE_MS);

  const back = await step(200, (_, question) => (question % 20 === 19 ? GONE : FOUND), { wasAway: true });
  expect(back).toMatchObject({ answered: 190, skipped: 0, isAway: false });
});

test('behind a breaker that is open a step waits for the probe that finds the bank back', async () => {
  const limiter = createBankLimiter({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await step(50, () => GONE, { limiter });
  const back = await step(50, () => FOUND, { limiter, wasAway: true });
  expect(back).toMatchObject({ answered: 50, skipped: 0, isAway: false });
});

test('polls of open transfers wait behind no inquiry of a reconciliation, even one without a limit of its own', async () => {
  const RPS = 10;
  const POLLS_A_SECOND = 9;
  const limiter = createBankLimiter({ maxRps: RPS, reconcileMaxRps: RPS, pollActiveMs: POLL_ACTIVE_MS });
  const waits: number[] = [];
  const polls = setInterval(() => {
    void limiter.admit('lookup', { returning: false }).then((admission) => {
      const isAdmitted = admission.kind === 'admitted';
      waits.push(isAdmitted ? admission.permit.waitedMs : Infinity);
      if (isAdmitted) admission.permit.made('good');
    });
  }, 1_000 / POLLS_A_SECOND);
  const played = await step(40, () => FOUND, { limiter });
  clearInterval(polls);
  expect(played).toMatchObject({ answered: 40, skipped: 0 });
  // Reconciliation had the rest of the rate: about one a second.
  expect(played.tookMs).toBeGreaterThan(20_000);
  expect(waits.length).toBeGreaterThan((played.tookMs / 1_000 - 2) * POLLS_A_SECOND);
  // At most one turn and one burst: the call that is in flight when a poll comes.
  expect(Math.max(...waits)).toBeLessThanOrEqual((2 * 1_000) / RPS);
});

test('a step that gets no turn for a quarter of an hour asks no more and says why; the next one tries a minute', async () => {
  let isFull = true;
  const free = createBankLimiter({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  const limiter: Pick<BankLimiter, 'admit'> = {
    admit: (request, options) =>
      isFull
        ? Promise.resolve({ kind: 'deferred', reason: 'rate', afterMs: 4_000 })
        : free.admit(request, options),
  };
  const starved = await step(200, () => FOUND, { limiter });
  expect(starved).toMatchObject({ answered: 0, skipped: 200, reasons: ['NO_TURN'], isAway: true });
  expect(starved.tookMs).toBeGreaterThan(900_000);
  expect(starved.tookMs).toBeLessThan(930_000);
  const next = await step(200, () => FOUND, { limiter, wasAway: true });
  expect(next).toMatchObject({ answered: 0, skipped: 200, reasons: ['NO_TURN'], isAway: true });
  expect(next.tookMs).toBeLessThan(90_000);

  setTimeout(() => (isFull = false), 50_000);
  const back = await step(200, () => FOUND, { limiter, wasAway: true });
  expect(back).toMatchObject({ answered: 200, skipped: 0, isAway: false });
});
