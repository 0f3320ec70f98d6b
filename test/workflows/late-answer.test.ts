import type { AnsweredLate } from '../../src/activities/numbered-request';
import { apply } from '../../src/domain/transfer/apply';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { nextStep } from '../../src/domain/transfer/next-step';
import { lateAnswer } from '../../src/workflows/transfer/late-answer';

const settings = { ...DEFAULT_TRANSFER_SETTINGS, attentionAfterActiveMs: 30 * 86_400_000 };
const NOW = 1_800_000_000_000;
const STEP = { startedAtMs: NOW, atMs: NOW + 200 };
const HOURS_8 = 8 * 3_600_000;

/** The answer to request 2, a look-up that was claimed 10 s before the answer was recorded. */
const notFound = (answerAgeMs: number): AnsweredLate => ({
  ...{ kind: 'answered-late', requestKind: 'lookup', number: 2, settings },
  ...{ claimAgeMs: answerAgeMs + 10_000, answerAgeMs, answer: { kind: 'not-found' } },
});

/** A create with unknown outcome, and a look-up whose step was lost. */
function waiting(hintedAtMs: number | null = null): TransferState {
  const state = initialState(4711, NOW - 2 * HOURS_8);
  return {
    ...state,
    ...{ orderSha256: 'f'.repeat(64), journalId: 'pg-1', stage: { name: 'looking-up' }, hintedAtMs },
    sends: { ...state.sends, count: 1, firstAtMs: NOW - 2 * HOURS_8, lastAtMs: NOW - 2 * HOURS_8 },
    requests: {
      ...state.requests,
      ...{ lastNumber: 2, isUnanswered: true, polls: 1, lastEndedAtMs: NOW - HOURS_8 },
    },
  };
}

test('the gap after a late answer counts from its record, not from its reading', () => {
  const fresh = apply(waiting(), lateAnswer(notFound(2_000), STEP));
  const untilMs = STEP.atMs - 2_000 + settings.pollActiveMs;
  expect(nextStep(fresh, STEP.atMs)).toMatchObject({ do: 'wait', before: 'lookup', untilMs });
  const old = apply(waiting(), lateAnswer(notFound(HOURS_8), STEP));
  expect(nextStep(old, STEP.atMs)).toEqual({ do: 'lookup', number: 3 });
});

test('what operators decide by has the age of its record', () => {
  const { bank, requests } = apply(waiting(), lateAnswer(notFound(HOURS_8), STEP));
  expect(bank.lastNotFound).toEqual({ number: 2, atMs: STEP.atMs - HOURS_8 });
  expect(requests).toMatchObject({ lastPolledAtMs: STEP.atMs - HOURS_8, polls: 1 });
});

test('a hint that arrived after the request had left is kept; an earlier one is used up', () => {
  const hintedAfter = (hintedAtMs: number) =>
    apply(waiting(hintedAtMs), lateAnswer(notFound(2_000), STEP)).hintedAtMs;
  expect(hintedAfter(NOW - 12_000 + 1)).toBe(NOW - 12_000 + 1);
  expect(hintedAfter(NOW - 12_000)).toBeNull();
});

test('a create counts as sent from its claim, and as ended when its answer was recorded', () => {
  const before = waiting();
  const state = apply(
    { ...before, requests: { ...before.requests, lastNumber: 1, polls: 0 } },
    lateAnswer(
      {
        ...{ kind: 'answered-late', requestKind: 'create', number: 1, settings },
        ...{ claimAgeMs: 9_000, answerAgeMs: 4_000 },
        answer: {
          kind: 'unknown',
          error: { code: 'HTTP_STATUS', httpStatus: 503, retryAfterMs: null },
        },
      },
      STEP,
    ),
  );
  expect(state.sends).toMatchObject({ count: 1, lastAtMs: STEP.atMs - 4_000 });
  expect(nextStep(state, STEP.atMs)).toMatchObject({ untilMs: STEP.atMs - 4_000 + settings.pollActiveMs });
});
