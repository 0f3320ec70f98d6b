import fc from 'fast-check';
import { busiestSecond } from '../../../bench/samples';
import { createBankLimiter } from '../../../src/bank/limiter/limiter';
import type { BankRequest } from '../../../src/bank/limiter/limiter';

/** At most `limit` requests leave in any second, by the moments at which they really leave. */

/** While a process stands still time goes on: what was due meanwhile runs at once when it is back. */
let stallEndMs = 0;
const stall = (ms: number): void => void (stallEndMs = performance.now() + ms);

beforeEach(() => {
  jest.useFakeTimers();
  const now = performance.now.bind(performance);
  stallEndMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => Math.max(now(), stallEndMs));
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

/** Requests that come back at their moments; each takes `workMs` from its permit to its departure (claim, token, handshake). */
function requests(limit: number) {
  const limiter = createBankLimiter({ maxRps: limit, pollActiveMs: 5_000 });
  const departures: number[] = [];
  const come = async (request: BankRequest, workMs: number): Promise<void> => {
    for (let returning = false; ; returning = true) {
      const admission = await limiter.admit(request, { returning });
      if (admission.kind === 'deferred') {
        await new Promise((resolve) => setTimeout(resolve, admission.afterMs));
        continue;
      }
      if (workMs > 0) await new Promise((resolve) => setTimeout(resolve, workMs));
      departures.push(performance.now());
      admission.permit.left();
      admission.permit.made('good');
      admission.permit.release();
      return;
    }
  };
  return { departures, come };
}

test('a limit of 8, and a journal that is slow for a moment: no second has nine', async () => {
  const { departures, come } = requests(8);
  for (let i = 0; i < 16; i += 1) void come('lookup', i < 4 ? 600 - i * 100 : 10);
  await jest.advanceTimersByTimeAsync(20_000);
  expect(departures).toHaveLength(16);
  expect(busiestSecond(departures)).toBeLessThanOrEqual(8);
});

test('whatever comes, at any limit, however late timers are and however long requests take to leave', async () => {
  const arrivals = fc.array(
    fc.record({
      waitMs: fc.nat(800),
      request: fc.constantFrom<BankRequest>('create', 'lookup', 'reconciliation', 'verification'),
      times: fc.integer({ min: 1, max: 15 }),
      workMs: fc.oneof(fc.constant(0), fc.nat(700)),
      stallMs: fc.oneof(fc.constant(0), fc.nat(1_500)),
    }),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), arrivals, async (limit, list) => {
      const { departures, come } = requests(limit);
      for (const { waitMs, request, times, workMs, stallMs } of list) {
        for (let i = 0; i < times; i += 1) void come(request, workMs);
        await jest.advanceTimersByTimeAsync(waitMs);
        stall(stallMs);
      }
      const all = list.reduce((sum, { times }) => sum + times, 0);
      await jest.advanceTimersByTimeAsync((all / limit) * 6_000 + 20_000);
      expect(departures).toHaveLength(all);
      expect(busiestSecond(departures)).toBeLessThanOrEqual(limit);
    }),
    { numRuns: 100 },
  );
});
