import fc from 'fast-check';
import {
  admit,
  BAD_RUN_MAX,
  BREAKER_CLOSED as CLOSED,
  ended,
  notMade,
} from '../../../src/bank/limiter/circuit-breaker';
import type { Admitted, CircuitBreaker, Health } from '../../../src/bank/limiter/circuit-breaker';

const OPEN_MS = 2_500;
const after = (breaker: CircuitBreaker, health: Health, as: Admitted = 'plain', nowMs = 0) =>
  ended(breaker, { as, health }, { nowMs, openMs: OPEN_MS });
const tryAt = (breaker: CircuitBreaker, nowMs: number) => admit(breaker, { nowMs, openMs: OPEN_MS });
const bad = (times: number): CircuitBreaker =>
  Array.from({ length: times }).reduce<CircuitBreaker>((breaker) => after(breaker, 'bad'), CLOSED);

test(`${BAD_RUN_MAX} bad ends running open it; a good one between them starts the count again`, () => {
  expect(bad(BAD_RUN_MAX - 1).state).toBe('closed');
  expect(bad(BAD_RUN_MAX)).toEqual({ state: 'open', untilMs: OPEN_MS });
  expect(after(after(bad(BAD_RUN_MAX - 1), 'good'), 'bad')).toEqual({ state: 'closed', badRun: 1 });
});

test('time-outs alone never open it', () => {
  expect(Array.from({ length: 100 }).reduce<CircuitBreaker>((b) => after(b, 'unclear'), CLOSED)).toEqual(
    CLOSED,
  );
});

test('open: nothing goes until its time, then one probe, and nothing else', () => {
  const open = bad(BAD_RUN_MAX);
  expect(tryAt(open, OPEN_MS - 1).as).toBeNull();
  const probing = tryAt(open, OPEN_MS);
  expect(probing.as).toBe('probe');
  expect(tryAt(probing.breaker, 2 * OPEN_MS - 1).as).toBeNull();
});

test('a probe that finds the bank closes it; one that does not keeps it open for another while', () => {
  const { breaker } = tryAt(bad(BAD_RUN_MAX), OPEN_MS);
  expect(after(breaker, 'good', 'probe')).toEqual(CLOSED);
  for (const health of ['bad', 'unclear'] as const) {
    expect(after(breaker, health, 'probe', 3_000)).toEqual({ state: 'open', untilMs: 3_000 + OPEN_MS });
  }
});

test('a probe that hangs holds nobody up: another goes after a pause, and its late end changes nothing', () => {
  const hanging = tryAt(bad(BAD_RUN_MAX), OPEN_MS);
  const second = tryAt(hanging.breaker, 2 * OPEN_MS);
  expect(second.as).toBe('probe');
  expect(tryAt(second.breaker, 2 * OPEN_MS).as).toBeNull();
  const closed = after(second.breaker, 'good', 'probe', 2 * OPEN_MS);
  expect(after(closed, 'unclear', 'probe', 30_000)).toEqual(CLOSED);
  const open = after(second.breaker, 'bad', 'probe', 2 * OPEN_MS);
  expect(after(open, 'unclear', 'probe', 30_000)).toBe(open);
});

test('a probe that was not made leaves its place to the next', () => {
  const { breaker } = tryAt(bad(BAD_RUN_MAX), OPEN_MS);
  expect(tryAt(notMade(breaker, 'probe', 2_600), 2_600).as).toBe('probe');
  expect(notMade(CLOSED, 'plain', 0)).toBe(CLOSED);
});

test('requests that left before it opened: their failures do not prolong it, an answer closes it', () => {
  const open = bad(BAD_RUN_MAX);
  expect(after(open, 'bad', 'plain', 2_000)).toBe(open);
  expect(after(open, 'good', 'plain', 2_000)).toEqual(CLOSED);
});

/** Requests come and end in any order; each admitted one ends once. */
test('whatever comes: never two probes within the pause, and it recovers', () => {
  const commands = fc.array(
    fc.record({
      waitMs: fc.nat(2 * OPEN_MS),
      end: fc.option(fc.nat(), { nil: null }),
      health: fc.constantFrom<Health | 'not-made'>('good', 'bad', 'bad', 'bad', 'unclear', 'not-made'),
    }),
    { minLength: 1, maxLength: 300 },
  );
  fc.assert(
    fc.property(commands, (list) => {
      let breaker: CircuitBreaker = CLOSED;
      let nowMs = 0;
      let notBeforeMs = -Infinity;
      const inFlight: Admitted[] = [];
      for (const { waitMs, end, health } of list) {
        nowMs += waitMs;
        const tried = tryAt(breaker, nowMs);
        breaker = tried.breaker;
        if (tried.as === 'probe') {
          expect(nowMs).toBeGreaterThanOrEqual(notBeforeMs);
          notBeforeMs = nowMs + OPEN_MS;
        }
        if (tried.as !== null) inFlight.push(tried.as);
        const [as] = end === null || inFlight.length === 0 ? [] : inFlight.splice(end % inFlight.length, 1);
        if (as === undefined) continue;
        const isProbe = as === 'probe' && breaker.state === 'half-open';
        if (isProbe && health !== 'not-made' && health !== 'good') notBeforeMs = nowMs + OPEN_MS;
        // A good answer of an older request closes the circuit; the next opening counts anew.
        if (health === 'good' || (isProbe && health === 'not-made')) notBeforeMs = -Infinity;
        breaker = health === 'not-made' ? notMade(breaker, as, nowMs) : after(breaker, health, as, nowMs);
      }
      for (const as of inFlight) breaker = notMade(breaker, as, nowMs);
      const probe = tryAt(breaker, nowMs + OPEN_MS);
      expect(probe.as).not.toBeNull();
      expect(after(probe.breaker, 'good', probe.as ?? 'plain')).toEqual(CLOSED);
    }),
    { numRuns: 500 },
  );
});
