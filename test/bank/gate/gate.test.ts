import { BAD_RUN_MAX } from '../../../src/bank/gate/breaker';
import type { Health } from '../../../src/bank/gate/breaker';
import { createBankGate } from '../../../src/bank/gate/gate';
import type { BankGate, GateObserver, Pass } from '../../../src/bank/gate/gate';
import { healthOf } from '../../../src/bank/gate/health';
import { INSIDE_MAX } from '../../../src/bank/gate/side-door';
import type { RequestErrorCode } from '../../../src/domain/transfer/answers';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const POLL_ACTIVE_MS = 5_000;
const plain = { returning: false };

async function enter(gate: BankGate): Promise<Pass> {
  const entry = await gate.enter('lookup', plain);
  if (entry.kind !== 'go') throw new Error('sent away');
  return entry.pass;
}
async function request(gate: BankGate, health: Health): Promise<void> {
  (await enter(gate)).made(health);
}
async function shut(gate: BankGate): Promise<void> {
  for (let i = 0; i < BAD_RUN_MAX; i += 1) await request(gate, 'bad');
}

test('while the bank is away requests go back to timers, spread within one cadence', async () => {
  const gate = createBankGate({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(gate);
  const moments: number[] = [];
  for (let i = 0; i < 200; i += 1) {
    const entry = await gate.enter('lookup', plain);
    if (entry.kind !== 'later') throw new Error('let through');
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
  const gate = createBankGate({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(gate);
  jest.advanceTimersByTime(POLL_ACTIVE_MS / 2);
  const probe = await enter(gate);
  expect((await gate.enter('create', plain)).kind).toBe('later');
  probe.made('good');
  probe.close();
  await Promise.all([enter(gate), enter(gate), enter(gate)]);
});

test('a probe whose number was claimed before is no probe: the next one is', async () => {
  const gate = createBankGate({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(gate);
  jest.advanceTimersByTime(POLL_ACTIVE_MS / 2);
  (await enter(gate)).close();
  await request(gate, 'good');
});

test('a create that hangs as the probe stops no look-up for longer than one cadence', async () => {
  const gate = createBankGate({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(gate);
  jest.advanceTimersByTime(POLL_ACTIVE_MS / 2);
  expect((await gate.enter('create', plain)).kind).toBe('go');
  const refused = await gate.enter('lookup', plain);
  if (refused.kind === 'go') throw new Error('let through');
  expect(refused.afterMs).toBeLessThanOrEqual(POLL_ACTIVE_MS);
  jest.advanceTimersByTime(refused.afterMs);
  await request(gate, 'good');
  await Promise.all([enter(gate), enter(gate)]);
});

test('requests in the line when the circuit opens do not go', async () => {
  const gate = createBankGate({ maxRps: 2, pollActiveMs: POLL_ACTIVE_MS });
  const underWay: Pass[] = [];
  for (let i = 0; i < BAD_RUN_MAX; i += 1) {
    const entering = enter(gate);
    await jest.advanceTimersByTimeAsync(500);
    underWay.push(await entering);
  }
  const waiting = gate.enter('lookup', plain);
  for (const pass of underWay) pass.made('bad');
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toMatchObject({ kind: 'later', reason: 'circuit' });
});

test('what it does is told', async () => {
  const told: unknown[][] = [];
  const observer: GateObserver = {
    waited: (...args) => told.push(['waited', ...args]),
    deferred: (...args) => told.push(['deferred', ...args]),
    breakerChanged: (...args) => told.push(['breaker', ...args]),
  };
  const gate = createBankGate({ maxRps: 1, pollActiveMs: POLL_ACTIVE_MS, observer });
  await request(gate, 'good');
  // The next turn is a second away: it waits for that one; the one after it does not.
  void gate.enter('create', plain);
  expect(await gate.enter('create', plain)).toMatchObject({ kind: 'later', reason: 'rate' });
  await jest.advanceTimersByTimeAsync(1_100);
  expect(told).toEqual([
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

test('a service beside goes while the breaker is open, takes no probe, and keeps the rate', async () => {
  const away = createBankGate({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  await shut(away);
  expect(await away.beside(plain)).toMatchObject({ kind: 'go' });
  expect((await away.enter('lookup', plain)).kind).toBe('later');
  jest.advanceTimersByTime(POLL_ACTIVE_MS / 2);
  await away.beside(plain);
  expect((await away.enter('lookup', plain)).kind).toBe('go');

  const slow = createBankGate({ maxRps: 1, pollActiveMs: POLL_ACTIVE_MS });
  const turns = [slow.beside(plain), slow.enter('lookup', plain), slow.beside(plain)];
  jest.advanceTimersByTime(2_000);
  expect((await Promise.all(turns)).map(({ kind }) => kind)).toEqual(['go', 'go', 'later']);
});

test(`a service beside that hangs has ${INSIDE_MAX} requests under way; the others come back as those end`, async () => {
  const gate = createBankGate({ maxRps: 0, pollActiveMs: POLL_ACTIVE_MS });
  const enterBeside = async () => {
    const entry = await gate.beside(plain);
    if (entry.kind === 'later') throw new Error('sent away');
    return entry.done;
  };
  const inside: (() => void)[] = [];
  for (let i = 0; i < INSIDE_MAX; i += 1) inside.push(await enterBeside());
  expect(await gate.beside(plain)).toEqual({ kind: 'later', afterMs: expect.any(Number) });
  expect((await gate.enter('create', plain)).kind).toBe('go');

  jest.advanceTimersByTime(8_000);
  for (const done of inside) [done, done].forEach((each) => each());
  for (let i = 0; i < INSIDE_MAX; i += 1) await enterBeside();
  const moments = [];
  for (let i = 0; i < 100; i += 1) {
    const entry = await gate.beside(plain);
    moments.push(entry.kind === 'later' ? entry.afterMs : NaN);
  }
  expect(Math.min(...moments)).toBeGreaterThanOrEqual(1_000);
  // Sixteen questions of some seconds each let a few in a second: the moments are as far apart.
  expect((moments[99] ?? NaN) - (moments[0] ?? NaN)).toBeGreaterThan(5_000);
  expect([...moments].sort((a, b) => a - b)).toEqual(moments);
});
