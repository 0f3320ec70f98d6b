import fc from 'fast-check';
import { BAD_RUN_MAX } from '../../../src/bank/limiter/circuit-breaker';
import type { Health } from '../../../src/bank/limiter/circuit-breaker';
import { createBankLimiter, VERIFICATIONS_MAX } from '../../../src/bank/limiter/limiter';
import type { BankLimiter, BankRequest, Permit } from '../../../src/bank/limiter/limiter';

/** Invariants of the limiter, whatever requests come and however they end. */

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const POLL_ACTIVE_MS = 5_000;
const fresh = { returning: false };
const REQUESTS = ['create', 'lookup', 'reconciliation', 'verification'] as const satisfies BankRequest[];

/** How an admitted request continues; each is released in the end. */
const PATHS = ['not-made', 'left', 'answered', 'away', 'timed-out', 'repeated', 'left-twice'] as const;
type Path = (typeof PATHS)[number];

async function follow(permit: Permit, path: Path): Promise<void> {
  const health: Partial<Record<Path, Health>> = { answered: 'good', away: 'bad', 'timed-out': 'unclear' };
  if (path === 'repeated') {
    permit.left();
    await permit.repeat();
  }
  if (path !== 'not-made') permit.left();
  if (path === 'left-twice') permit.left();
  const said = health[path];
  if (said !== undefined) permit.made(said);
}

const plans = fc.array(
  fc.record({
    request: fc.constantFrom(...REQUESTS),
    waitMs: fc.nat(300),
    workMs: fc.nat(4_000),
    path: fc.constantFrom(...PATHS),
  }),
  { minLength: 1, maxLength: 60 },
);
const limits = fc.record({ maxRps: fc.integer({ min: 0, max: 40 }), reconcileMaxRps: fc.nat(5) });

/** Admitted at once, out of `count` requests. */
async function admittedOf(limiter: BankLimiter, request: BankRequest, count: number): Promise<Permit[]> {
  const all = Promise.all(Array.from({ length: count }, () => limiter.admit(request, fresh)));
  await jest.advanceTimersByTimeAsync(1_000);
  return (await all).flatMap((admission) => (admission.kind === 'admitted' ? [admission.permit] : []));
}

test('whatever permits are used for, once released they are all there again, and no timer is left', async () => {
  await fc.assert(
    fc.asyncProperty(limits, plans, async ({ maxRps, reconcileMaxRps }, list) => {
      const limiter = createBankLimiter({ maxRps, reconcileMaxRps, pollActiveMs: POLL_ACTIVE_MS });
      let [verifications, ended] = [0, 0];
      const run = async ({ request, workMs, path }: (typeof list)[number]): Promise<void> => {
        const admission = await limiter.admit(request, fresh);
        if (admission.kind === 'admitted') {
          if (request === 'verification') verifications += 1;
          expect(verifications).toBeLessThanOrEqual(VERIFICATIONS_MAX);
          await new Promise((resolve) => setTimeout(resolve, workMs));
          await follow(admission.permit, path);
          if (request === 'verification') verifications -= 1;
          admission.permit.release();
          admission.permit.release();
        }
        ended += 1;
      };
      for (const plan of list) {
        void run(plan);
        await jest.advanceTimersByTimeAsync(plan.waitMs);
      }
      // Past the last request, every assigned return time, and the pause of an open breaker.
      await jest.advanceTimersByTimeAsync(200_000);
      expect(ended).toBe(list.length);
      expect(jest.getTimerCount()).toBe(0);

      // A bank that is back closes the breaker, by one probe if it is open.
      (await admittedOf(limiter, 'lookup', 1))[0]?.made('good');
      await jest.advanceTimersByTimeAsync(2_000);
      expect(limiter.reach().breaker).toBe('closed');
      const room = maxRps === 0 ? VERIFICATIONS_MAX : Math.min(maxRps, VERIFICATIONS_MAX);
      // The last of them may be due a moment after the second that a request waits at most.
      const again = await admittedOf(limiter, 'verification', VERIFICATIONS_MAX + 1);
      expect(again.length).toBeGreaterThanOrEqual(room - 1);
      expect(again.length).toBeLessThanOrEqual(room);
      expect(jest.getTimerCount()).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('an open breaker admits one probe at a time, whoever comes and however probes end', async () => {
  const events = fc.array(
    fc.record({
      waitMs: fc.nat(2_000),
      count: fc.integer({ min: 1, max: 5 }),
      end: fc.constantFrom<Health | 'not-made' | 'hangs'>('bad', 'unclear', 'not-made', 'hangs'),
    }),
    { minLength: 1, maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(events, async (list) => {
      const limiter = createBankLimiter({ maxRps: 50, pollActiveMs: POLL_ACTIVE_MS });
      for (let i = 0; i < BAD_RUN_MAX; i += 1) {
        for (const permit of await admittedOf(limiter, 'lookup', 1)) permit.made('bad');
      }
      expect(limiter.reach().breaker).toBe('open');
      let lastProbeMs = -Infinity;
      for (const { waitMs, count, end } of list) {
        await jest.advanceTimersByTimeAsync(waitMs);
        const probes = await admittedOf(limiter, 'create', count);
        expect(probes.length).toBeLessThanOrEqual(1);
        for (const probe of probes) {
          const nowMs = performance.now();
          if (lastProbeMs !== -Infinity) expect(nowMs - lastProbeMs).toBeGreaterThan(POLL_ACTIVE_MS / 2 - 1);
          lastProbeMs = end === 'not-made' ? -Infinity : nowMs;
          expect(limiter.reach().breaker).toBe('half-open');
          if (end === 'bad' || end === 'unclear') probe.made(end);
          if (end !== 'hangs') probe.release();
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('requests that wait in the worker leave in order of arrival, within each priority', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 30 }),
      fc.array(fc.constantFrom(...REQUESTS), { minLength: 1, maxLength: 60 }),
      async (maxRps, list) => {
        const limiter = createBankLimiter({ maxRps, pollActiveMs: POLL_ACTIVE_MS });
        const gone: Record<string, number[]> = { create: [], lookup: [], background: [] };
        for (const [id, request] of list.entries()) {
          void limiter.admit(request, fresh).then((admission) => {
            if (admission.kind === 'deferred') return;
            admission.permit.left();
            gone[request === 'create' || request === 'lookup' ? request : 'background']?.push(id);
          });
        }
        await jest.advanceTimersByTimeAsync(2_000);
        for (const ids of Object.values(gone)) expect(ids).toEqual([...ids].sort((a, b) => a - b));
      },
    ),
    { numRuns: 60 },
  );
});

test('a worker with little to do: requests go in the same moment, and none needs a timer', async () => {
  const limiter = createBankLimiter({ maxRps: 8, reconcileMaxRps: 4, pollActiveMs: POLL_ACTIVE_MS });
  const setTimer = jest.spyOn(globalThis, 'setTimeout');
  for (const request of [...REQUESTS, ...REQUESTS]) {
    const permit = await limiter.admit(request, fresh);
    expect(permit).toMatchObject({ kind: 'admitted', permit: { waitedMs: 0 } });
    if (permit.kind === 'admitted') await follow(permit.permit, 'answered');
    jest.advanceTimersByTime(300);
  }
  expect(setTimer).not.toHaveBeenCalled();
  setTimer.mockRestore();
});

test('a wait that ends without a turn leaves nothing behind: no timer, no slot, no place', async () => {
  const limiter = createBankLimiter({ maxRps: 2, pollActiveMs: POLL_ACTIVE_MS });
  // Their claims hang: nothing leaves, and nothing comes free within the second that others wait.
  const hanging = await admittedOf(limiter, 'create', 2);
  expect(hanging).toHaveLength(2);
  for (const request of REQUESTS) expect(await admittedOf(limiter, request, 3)).toHaveLength(0);
  expect(jest.getTimerCount()).toBe(0);
  for (const permit of hanging) permit.release();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await admittedOf(limiter, 'verification', 2)).toHaveLength(2);
});

test('reconciliations keep their own rate and, with all others, that of the bank', async () => {
  const limiter = createBankLimiter({ maxRps: 20, reconcileMaxRps: 3, pollActiveMs: POLL_ACTIVE_MS });
  const inquiries = await admittedOf(limiter, 'reconciliation', 10);
  expect(inquiries).toHaveLength(3);
  for (const permit of inquiries) permit.left();
  expect((await admittedOf(limiter, 'verification', 10)).length).toBe(10);
});

test('a repetition after a 401 takes a slot of the rate of reconciliations too', async () => {
  for (const maxRps of [0, 100]) {
    const limiter = createBankLimiter({ maxRps, reconcileMaxRps: 3, pollActiveMs: POLL_ACTIVE_MS });
    const inquiries = await admittedOf(limiter, 'reconciliation', 3);
    for (const permit of inquiries) permit.left();
    let repeated = 0;
    for (const permit of inquiries)
      void permit.repeat().then(() => {
        permit.left();
        repeated += 1;
      });
    await jest.advanceTimersByTimeAsync(500);
    expect(repeated).toBe(0);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(repeated).toBe(3);
  }
});

test('a call that no limiter admitted takes the next slot of all', async () => {
  const limiter = createBankLimiter({ maxRps: 1, pollActiveMs: POLL_ACTIVE_MS });
  (await admittedOf(limiter, 'create', 1))[0]?.left();
  await jest.advanceTimersByTimeAsync(100);
  const waiting = limiter.admit('create', fresh);
  const next = limiter.next();
  await jest.advanceTimersByTimeAsync(1_000);
  (await next).left();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toMatchObject({ kind: 'deferred', reason: 'rate' });
});
