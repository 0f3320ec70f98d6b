import { nextVerificationStep } from '../../../src/domain/verification/next-step';
import { verificationView } from '../../../src/domain/verification/view';
import { MISMATCH, NOT_FOUND, PENDING, SETTINGS, Tracked, error, status } from './tracked';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const minutes = (gaps: readonly number[]) => gaps.map((gap) => gap / MINUTE_MS);

describe('when the bank is asked', () => {
  it('at once, then after a minute, doubling to the longest gap while nothing changes', () => {
    const tracked = new Tracked();
    expect(minutes(Array.from({ length: 8 }, () => tracked.ask(PENDING)))).toEqual([
      0, 1, 2, 4, 8, 15, 15, 15,
    ]);
  });

  it('news starts again with the least gap; a repeated status is no news', () => {
    const tracked = new Tracked();
    for (let i = 0; i < 6; i++) tracked.ask(PENDING);
    tracked.ask(status('En revisión'));
    expect(minutes([tracked.ask(status('En revisión')), tracked.ask(PENDING), tracked.ask(PENDING)])).toEqual(
      [1, 2, 1],
    );
  });

  it('a status that means something else by a changed map is news', () => {
    const tracked = new Tracked();
    for (let i = 0; i < 3; i++) tracked.ask(status('En revisión'));
    tracked.ask(status('En revisión', 'pending'));
    expect(minutes([tracked.ask(PENDING)])).toEqual([1]);
  });

  it.each([
    ['an error', error('TIMEOUT')],
    ['a not-found', NOT_FOUND],
    ['an answer about another request', MISMATCH],
  ])('%s is no news', (_, answer) => {
    const tracked = new Tracked();
    tracked.ask(PENDING);
    expect(minutes([tracked.ask(answer), tracked.ask(answer), tracked.ask(PENDING)])).toEqual([1, 2, 4]);
  });

  it('Retry-After is a lower bound', () => {
    const tracked = new Tracked();
    tracked.ask(error('HTTP_STATUS', 40 * MINUTE_MS));
    expect(minutes([tracked.ask(PENDING)])).toEqual([40]);
    tracked.ask(error('HTTP_STATUS', 1_000));
    expect(tracked.ask(PENDING)).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('a hint brings it forward to the least gap, and no nearer; it is used up by the next look-up', () => {
    const tracked = new Tracked();
    for (let i = 0; i < 6; i++) tracked.ask(PENDING);
    tracked.happen({ kind: 'hinted' });
    expect(minutes([tracked.ask(PENDING)])).toEqual([1]);
    // The bank may show a moment later what it hinted at.
    expect(minutes([tracked.ask(PENDING), tracked.ask(PENDING)])).toEqual([1, 2]);
  });

  it('a hint that came during a look-up counts for the next one', () => {
    const tracked = new Tracked();
    tracked.ask(PENDING);
    tracked.ask(PENDING);
    const startedAtMs = tracked.nowMs;
    tracked.nowMs += 1_000;
    tracked.happen({ kind: 'hinted' });
    tracked.nowMs += 1_000;
    tracked.happen({ kind: 'asked', startedAtMs, answer: PENDING, settings: null });
    expect(minutes([tracked.ask(PENDING)])).toEqual([1]);
  });

  it('a deferral waits for its time, and does not count as a look-up', () => {
    const tracked = new Tracked();
    tracked.ask(PENDING);
    tracked.nowMs += MINUTE_MS;
    tracked.happen({ kind: 'deferred', afterMs: 5_000 });
    expect(tracked.state.asking).toMatchObject({ polls: 1, isDeferred: true });
    expect(nextVerificationStep(tracked.state, tracked.nowMs)).toEqual({
      do: 'wait',
      untilMs: tracked.nowMs + 5_000,
    });
    tracked.ask(PENDING);
    expect(tracked.state.asking).toMatchObject({ polls: 2, isDeferred: false });
  });

  it('changed settings take effect with the next answer', () => {
    const tracked = new Tracked();
    tracked.ask(PENDING, { settings: { ...SETTINGS, pollMs: 7 * MINUTE_MS } });
    expect(minutes([tracked.ask(PENDING)])).toEqual([7]);
  });

  it('a longest gap below the least one gives way', () => {
    const tracked = new Tracked({}, { ...SETTINGS, pollMs: 60 * MINUTE_MS });
    tracked.ask(PENDING);
    expect(minutes([tracked.ask(PENDING), tracked.ask(PENDING)])).toEqual([60, 60]);
  });

  it('the gap counts from the end of the look-up before', () => {
    const tracked = new Tracked();
    tracked.ask(PENDING, { tookMs: 7_000 });
    expect(tracked.ask(PENDING)).toBe(MINUTE_MS);
  });
});

describe('a run after a lost one', () => {
  const recorded = {
    wasTracked: true,
    sinceOpenedMs: 3 * DAY_MS,
    statuses: [{ status: 'Pendiente', meaning: 'pending', statusDate: null, sinceMs: 2 * DAY_MS }],
    openFlags: ['NO_ANSWER'],
  } as const;

  it('waits the least gap, because the time of the last look-up is unknown', () => {
    expect(minutes([new Tracked(recorded).ask(PENDING)])).toEqual([1]);
  });

  it('knows the statuses and the flags that the journal has', () => {
    const { state, nowMs } = new Tracked(recorded);
    expect(verificationView(state, String)).toMatchObject({
      status: 'Pendiente',
      attentionReasons: ['NO_ANSWER'],
      history: [{ status: 'Pendiente', at: String(nowMs - 2 * DAY_MS) }],
    });
    expect(nextVerificationStep(state, nowMs)).toMatchObject({ do: 'wait' });
  });
});

describe('a recovered run with open flags', () => {
  it.each([
    ['REQUEST_NOT_FOUND', [NOT_FOUND, error('TIMEOUT'), NOT_FOUND], PENDING],
    ['BANK_UNAUTHORIZED', [error('UNAUTHORIZED'), error('TIMEOUT')], NOT_FOUND],
    ['NO_ANSWER', [error('TIMEOUT'), error('HTTP_STATUS')], NOT_FOUND],
    ['STATUS_UNKNOWN', [error('TIMEOUT'), NOT_FOUND], PENDING],
    ['ECHO_MISMATCH', [error('TIMEOUT'), MISMATCH], PENDING],
  ] as const)('%s stays while its cause stands, and clears with it', (reason, same, good) => {
    const tracked = new Tracked({ wasTracked: true, openFlags: [reason] });
    for (const answer of same) {
      tracked.ask(answer);
      expect(tracked.reasons).toEqual([reason]);
    }
    tracked.ask(good);
    expect(tracked.reasons).toEqual([]);
  });
});

test('after a lost look-up the journal may hold more, until a status is read', () => {
  const tracked = new Tracked();
  const seen = (answer: Parameters<Tracked['ask']>[0]) => {
    tracked.ask(answer);
    return tracked.state.asking.isUnsure;
  };
  const lost = error('STEP_LOST');
  expect([PENDING, lost, error('TIMEOUT'), NOT_FOUND, MISMATCH, PENDING].map(seen)).toEqual([
    ...[false, true, true, true, true, false],
  ]);
});

describe('flags', () => {
  it.each([
    ['STATUS_UNKNOWN', [status('En duda')], PENDING],
    ['ECHO_INCOMPLETE', [status('Aprobado', 'approved', { isEchoed: false })], PENDING],
    ['ECHO_MISMATCH', [MISMATCH], PENDING],
    ['REQUEST_NOT_FOUND', [NOT_FOUND, NOT_FOUND, NOT_FOUND], PENDING],
    ['BANK_UNAUTHORIZED', Array.from({ length: 3 }, () => error('UNAUTHORIZED')), PENDING],
    ['NO_ANSWER', Array.from({ length: 6 }, () => error('TIMEOUT')), NOT_FOUND],
  ] as const)('%s is raised, and clears when its cause is gone', (reason, answers, good) => {
    const tracked = new Tracked();
    answers.forEach((answer, i) => {
      expect(tracked.reasons).toEqual([]);
      tracked.ask(answer);
      if (i < answers.length - 1) expect(tracked.reasons).toEqual([]);
    });
    expect(tracked.reasons).toEqual([reason]);
    expect(nextVerificationStep(tracked.state, tracked.nowMs)).toEqual({
      do: 'record-flags',
      reasons: [reason],
    });
    tracked.ask(good);
    expect(tracked.reasons).toEqual([]);
  });

  it('an error between not-founds, or between refusals, neither counts nor clears', () => {
    const tracked = new Tracked();
    for (const answer of [NOT_FOUND, NOT_FOUND, error('TIMEOUT'), NOT_FOUND]) tracked.ask(answer);
    expect(tracked.reasons).toEqual(['REQUEST_NOT_FOUND']);
    const refused = new Tracked();
    const away = error('TIMEOUT');
    for (const answer of [error('UNAUTHORIZED'), away, error('UNAUTHORIZED'), away]) refused.ask(answer);
    expect(refused.reasons).toEqual([]);
    refused.ask(error('UNAUTHORIZED'));
    expect(refused.reasons).toEqual(['BANK_UNAUTHORIZED']);
  });

  it('an outcome that the bank took back stays flagged until the end', () => {
    const tracked = new Tracked();
    tracked.ask(status('Habilitado'));
    tracked.ask(status('Pendiente', 'pending', { leftFinal: true }));
    expect(tracked.reasons).toEqual(['STATUS_LEFT_FINAL']);
    tracked.ask(status('En revisión', 'pending'));
    expect(tracked.reasons).toEqual(['STATUS_LEFT_FINAL']);
  });

  it('an approval after a rejection is flagged for that alone, and asked about again soon', () => {
    const tracked = new Tracked();
    tracked.ask(status('Rechazado'));
    tracked.ask(status('Aprobado', 'approved', { leftFinal: true }));
    expect(tracked.reasons).toEqual(['STATUS_LEFT_FINAL']);
    expect(tracked.state.stage.name).toBe('tracking');
    expect(minutes([tracked.ask(PENDING)])).toEqual([1]);
  });

  it('age: the same status for a week, whatever else came; a new one clears it', () => {
    const tracked = new Tracked();
    tracked.ask(PENDING);
    const begunMs = tracked.nowMs;
    while (tracked.reasons.length === 0) tracked.ask(PENDING);
    expect(tracked.reasons).toEqual(['OPEN_TOO_LONG']);
    expect((tracked.nowMs - begunMs) / DAY_MS).toBeCloseTo(7, 1);
    tracked.ask(status('En revisión', 'pending'));
    expect(tracked.reasons).toEqual([]);
  });

  it('age counts without any status too', () => {
    const tracked = new Tracked();
    tracked.nowMs += 8 * DAY_MS;
    tracked.ask(error('TIMEOUT'));
    expect(tracked.reasons).toEqual(['OPEN_TOO_LONG']);
  });
});

test('an outcome ends it: flags are cleared in the journal, then the run returns the result', () => {
  const tracked = new Tracked();
  tracked.ask(status('En duda'));
  tracked.happen({ kind: 'flags-recorded', reasons: ['STATUS_UNKNOWN'] });
  const result = { requestId: 'r-1', outcome: 'rejected', status: 'Rechazado', statusDate: null } as const;
  tracked.ask({ kind: 'outcome', result });
  expect(nextVerificationStep(tracked.state, tracked.nowMs)).toEqual({ do: 'record-flags', reasons: [] });
  tracked.happen({ kind: 'flags-recorded', reasons: [] });
  expect(nextVerificationStep(tracked.state, tracked.nowMs)).toEqual({ do: 'end', result });
  expect(verificationView(tracked.state, String)).toMatchObject({
    ...{ status: 'Rechazado', outcome: 'rejected', needsAttention: false, nextPollAt: null },
    history: [{ status: 'En duda' }, { status: 'Rechazado' }],
  });
});
