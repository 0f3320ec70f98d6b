import { BAD_RUN_MAX } from '../../../src/bank/limiter/circuit-breaker';
import type { Health } from '../../../src/bank/limiter/circuit-breaker';
import { healthOf } from '../../../src/bank/limiter/health';
import { createBankLimiter, VERIFICATIONS_MAX } from '../../../src/bank/limiter/limiter';
import type { BankLimiter, BankRequest, LimiterObserver, Permit } from '../../../src/bank/limiter/limiter';
import type { RequestErrorCode } from '../../../src/domain/transfer/answers';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const POLL_ACTIVE_MS = 5_000;
const plain = { returning: false };

async function enter(limiter: BankLimiter, request: BankRequest = 'lookup'): Promise<Permit> {
  const admission = await limiter.admit(request, plain);
  if (admission.kind !== 'admitted') throw new Error('it was deferred');
  return admission.permit;
}
async function request(limiter: BankLimiter, health: Health): Promise<void> {
  (await enter(limiter)).made(health);
}
async function shut(limiter: BankLimiter): Promise<void> {
  for (let i = 0; i < BAD_RUN_MAX; i += 1) await request(limiter, 'bad');
}

test('while the bank is away requests go back to timers, spread within one cadence', async () => {
  const limiter = createBankLimiter({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(limiter);
  const moments: number[] = [];
  for (let i = 0; i < 200; i += 1) {
    const entry = await limiter.admit('lookup', plain);
    if (entry.kind !== 'deferred') throw new Error('it was admitted');
    expect(entry.reason).toBe('circuit');
    moments.push(entry.afterMs);
  }
  expect(Math.min(...moments)).toBeGreaterThanOrEqual(POLL_ACTIVE_MS / 2);
  expect(Math.max(...moments)).toBeLessThanOrEqual(POLL_ACTIVE_MS);
  const tenths = Array.from({ length: 10 }, (_, i) =>
    moments.filter((ms) => Math.min(9, Math.floor((ms - 2_500) / 250)) === i),
  );
  // No herd: each tenth of the time has about a tenth of them.
  for (const tenth of tenths) expect(tenth.length).toBeLessThanOrEqual(25);
});

test('one probe at a time; an answer lets all through', async () => {
  const limiter = createBankLimiter({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(limiter);
  jest.advanceTimersByTime(POLL_ACTIVE_MS / 2);
  const probe = await enter(limiter);
  expect((await limiter.admit('create', plain)).kind).toBe('deferred');
  probe.made('good');
  probe.release();
  await Promise.all([enter(limiter), enter(limiter), enter(limiter)]);
});

test('a probe whose number was claimed before is no probe: the next one is', async () => {
  const limiter = createBankLimiter({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(limiter);
  jest.advanceTimersByTime(POLL_ACTIVE_MS / 2);
  (await enter(limiter)).release();
  await request(limiter, 'good');
});

test('a create that hangs as the probe stops no look-up for longer than one cadence', async () => {
  const limiter = createBankLimiter({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(limiter);
  jest.advanceTimersByTime(POLL_ACTIVE_MS / 2);
  expect((await limiter.admit('create', plain)).kind).toBe('admitted');
  const refused = await limiter.admit('lookup', plain);
  if (refused.kind === 'admitted') throw new Error('it was admitted');
  expect(refused.afterMs).toBeLessThanOrEqual(POLL_ACTIVE_MS);
  jest.advanceTimersByTime(refused.afterMs);
  await request(limiter, 'good');
  await Promise.all([enter(limiter), enter(limiter)]);
});

test('requests in the queue when the circuit opens do not go', async () => {
  const limiter = createBankLimiter({ maxRps: 2, pollActiveMs: POLL_ACTIVE_MS });
  const inFlight: Permit[] = [];
  for (let i = 0; i < BAD_RUN_MAX; i += 1) {
    void enter(limiter).then((permit) => {
      permit.left();
      inFlight.push(permit);
    });
    await jest.advanceTimersByTimeAsync(600);
  }
  const waiting = limiter.admit('lookup', plain);
  for (const permit of inFlight) permit.made('bad');
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toMatchObject({ kind: 'deferred', reason: 'circuit' });
});

test('the observer is informed of each action', async () => {
  const reported: unknown[][] = [];
  const observer: LimiterObserver = {
    waited: (...args) => reported.push(['waited', ...args]),
    deferred: (...args) => reported.push(['deferred', ...args]),
    breakerChanged: (...args) => reported.push(['breaker', ...args]),
  };
  const limiter = createBankLimiter({ maxRps: 1, pollActiveMs: POLL_ACTIVE_MS, observer });
  await request(limiter, 'good');
  await jest.advanceTimersByTimeAsync(100);
  // The next turn is less than a second away, so this request waits for it; the following request does not.
  void limiter.admit('create', plain);
  expect(await limiter.admit('create', plain)).toMatchObject({ kind: 'deferred', reason: 'rate' });
  await jest.advanceTimersByTimeAsync(1_100);
  expect(reported).toEqual([
    ['waited', 'lookup', expect.any(Number)],
    ['deferred', 'create', 'rate'],
    ['waited', 'create', expect.any(Number)],
  ]);
});

describe('what an end says of the bank', () => {
  const of = (code: RequestErrorCode, httpStatus: number | null = null) =>
    healthOf({ kind: 'no-answer', error: { code, httpStatus, retryAfterMs: null } });

  test.each([
    ['bad', 'CONNECTION_REFUSED', null],
    ['bad', 'NAME_LOOKUP', null],
    ['bad', 'TLS', null],
    ['bad', 'UNREACHABLE', null],
    ['bad', 'HTTP_STATUS', 500],
    ['bad', 'HTTP_STATUS', 503],
    ['bad', 'UNREADABLE', 502],
    ['unclear', 'TIMEOUT', null],
    ['unclear', 'CONNECTION_LOST', null],
    ['unclear', 'REDIRECT', 302],
    ['unclear', 'UNREADABLE', 200],
    ['good', 'UNAUTHORIZED', 401],
    ['good', 'RATE_LIMITED', 429],
    ['good', 'HTTP_STATUS', 409],
    ['good', 'NOT_A_MOVEMENT', 200],
    [null, 'CREDENTIALS', null],
  ] as const)('%s: %s %s', (health, code, httpStatus) => {
    expect(of(code, httpStatus)).toBe(health);
  });

  test('a refusal and a not-found come from a bank that works; a create that timed out before TLS does not', () => {
    expect(healthOf({ kind: 'not-found' })).toBe('good');
    expect(healthOf({ kind: 'refused', httpStatus: 422, code: null })).toBe('good');
    const error = { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null } as const;
    expect(healthOf({ kind: 'not-sent', error })).toBe('bad');
    expect(healthOf({ kind: 'no-answer', error, isUnsent: true })).toBe('bad');
    const noToken = { ...error, code: 'CREDENTIALS' } as const;
    expect(healthOf({ kind: 'no-answer', error: noToken, isUnsent: true })).toBeNull();
    expect(healthOf({ kind: 'unknown', error })).toBe('unclear');
  });
});

test('verifications go while the breaker is open, are no probe, and keep the rate', async () => {
  const away = createBankLimiter({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(away);
  expect(await away.admit('verification', plain)).toMatchObject({ kind: 'admitted' });
  expect((await away.admit('lookup', plain)).kind).toBe('deferred');
  jest.advanceTimersByTime(POLL_ACTIVE_MS / 2);
  await away.admit('verification', plain);
  expect((await away.admit('lookup', plain)).kind).toBe('admitted');

  const slow = createBankLimiter({ maxRps: 1, pollActiveMs: POLL_ACTIVE_MS });
  (await enter(slow, 'verification')).left();
  jest.advanceTimersByTime(100);
  const turns = [slow.admit('lookup', plain), slow.admit('verification', plain)];
  jest.advanceTimersByTime(2_000);
  expect((await Promise.all(turns)).map(({ kind }) => kind)).toEqual(['admitted', 'deferred']);
});

test(`verifications that hang: ${VERIFICATIONS_MAX} are in flight; the others come back as those end`, async () => {
  const limiter = createBankLimiter({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  const inFlight: Permit[] = [];
  for (let i = 0; i < VERIFICATIONS_MAX; i += 1) inFlight.push(await enter(limiter, 'verification'));
  expect(await limiter.admit('verification', plain)).toEqual({
    ...{ kind: 'deferred', reason: 'concurrency', afterMs: expect.any(Number) },
  });
  expect((await limiter.admit('create', plain)).kind).toBe('admitted');

  jest.advanceTimersByTime(8_000);
  for (const permit of inFlight) [permit, permit].forEach((each) => each.release());
  for (let i = 0; i < VERIFICATIONS_MAX; i += 1) await enter(limiter, 'verification');
  const moments = [];
  for (let i = 0; i < 100; i += 1) {
    const admission = await limiter.admit('verification', plain);
    moments.push(admission.kind === 'deferred' ? admission.afterMs : NaN);
  }
  expect(Math.min(...moments)).toBeGreaterThanOrEqual(1_000);
  // Sixteen concurrent verifications of 8 s each free only two places a second, so the return times are spread.
  expect((moments[99] ?? NaN) - (moments[0] ?? NaN)).toBeGreaterThan(5_000);
  expect([...moments].sort((a, b) => a - b)).toEqual(moments);
});
