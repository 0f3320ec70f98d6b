import type { SeenStatus, VerificationEvent } from './events';
import { verificationRetryAfterMs } from './events';
import { VERIFICATION_REASONS, flag } from './flags';
import type { VerificationFlags } from './flags';
import type { VerificationResult, VerificationState } from './state';
import { isOutcome } from './status-map';

/** Statuses kept in `history`. */
const HISTORY_MAX = 50;

/** Requests in a row that the bank answers "no such request" or "unauthorized" before a person is needed. */
export const REFUSALS_CONFIRMED = 3;

/**
 * Requests in a row without a readable answer before a person is needed. By default the first and the last are 44
 * minutes apart if they follow news, and 75 minutes at the steady gap.
 */
const NO_ANSWERS_CONFIRMED = 6;

type Asked = Extract<VerificationEvent, { kind: 'asked' }>;
type Received = Extract<VerificationEvent, { kind: 'received' }>;

/** The state machine of a verification: the state after an event. Pure. The next step is `nextVerificationStep`. */
export function applyToVerification(state: VerificationState, event: VerificationEvent): VerificationState {
  return withAge(judge(state, event), event.atMs);
}

function judge(state: VerificationState, event: VerificationEvent): VerificationState {
  switch (event.kind) {
    case 'received':
      return received(state, event);
    case 'already-ended':
      return ended(state, event.result, event.atMs);
    case 'asked':
      return asked(state, event);
    case 'deferred':
      return deferred(state, event.atMs + event.afterMs);
    case 'flags-recorded':
      return { ...state, recordedReasons: event.reasons };
    case 'hinted':
      return { ...state, hintedAtMs: event.atMs };
  }
}

/** A run that follows a lost or stopped run continues from the journal, and first waits for the least gap. */
function received(state: VerificationState, { recorded, settings, atMs }: Received): VerificationState {
  const last = recorded.statuses.at(-1);
  const openFlags = VERIFICATION_REASONS.filter((reason) => recorded.openFlags.includes(reason));
  return {
    ...state,
    settings,
    stage: { name: 'tracking' },
    openedAtMs: atMs - recorded.sinceOpenedMs,
    asking: {
      ...state.asking,
      notBeforeMs: recorded.wasTracked ? atMs + settings.pollMs : 0,
      // A flag with a counted cause stays until an answer clears it, so the count was at least this number.
      notFoundRun: openFlags.includes('REQUEST_NOT_FOUND') ? REFUSALS_CONFIRMED : 0,
      unauthorizedRun: openFlags.includes('BANK_UNAUTHORIZED') ? REFUSALS_CONFIRMED : 0,
      noAnswerRun: openFlags.includes('NO_ANSWER') ? NO_ANSWERS_CONFIRMED : 0,
    },
    last: last === undefined ? null : { ...last, sinceMs: atMs - last.sinceMs },
    flags: Object.fromEntries(openFlags.map((reason) => [reason, atMs])),
    recordedReasons: openFlags,
    history: recorded.statuses.map(({ status, sinceMs }) => ({ status, atMs: atMs - sinceMs })),
  };
}

function deferred(state: VerificationState, untilMs: number): VerificationState {
  const { asking } = state;
  const notBeforeMs = Math.max(asking.notBeforeMs, untilMs);
  return { ...state, asking: { ...asking, notBeforeMs, isDeferred: true } };
}

function asked(before: VerificationState, event: Asked): VerificationState {
  const { answer, atMs } = event;
  const state = withRequestMade(before, event);
  const { asking } = state;
  const set = (flags: VerificationFlags, reason: (typeof VERIFICATION_REASONS)[number], isCause: boolean) =>
    flag(flags, reason, isCause, atMs);
  let { flags } = state;
  flags = set(flags, 'REQUEST_NOT_FOUND', asking.notFoundRun >= REFUSALS_CONFIRMED);
  flags = set(flags, 'BANK_UNAUTHORIZED', asking.unauthorizedRun >= REFUSALS_CONFIRMED);
  flags = set(flags, 'NO_ANSWER', asking.noAnswerRun >= NO_ANSWERS_CONFIRMED);
  switch (answer.kind) {
    case 'status':
      flags = set(flags, 'ECHO_MISMATCH', false);
      return withStatus({ ...state, flags }, answer, atMs);
    case 'mismatch':
      return { ...state, flags: set(flags, 'ECHO_MISMATCH', true) };
    case 'not-found':
    case 'no-answer':
      return { ...state, flags };
    case 'outcome':
      return ended(state, answer.result, atMs);
  }
}

/** An error, a not-found or a mismatch does not count as news, so it does not restart the doubling. */
function withRequestMade(state: VerificationState, event: Asked): VerificationState {
  const { asking, last } = state;
  const { answer, atMs, startedAtMs } = event;
  const isNews =
    answer.kind === 'status' && (last?.status !== answer.status || last.meaning !== answer.meaning);
  const wasHinted = state.hintedAtMs !== null && state.hintedAtMs <= startedAtMs;
  const error = answer.kind === 'no-answer' ? answer.error : null;
  const running = (isOn: boolean, run: number): number => (isOn ? run + 1 : 0);
  // An error says nothing about what the bank knows: the counts of refusals stay for the next answer.
  const afterError = (isOn: boolean, run: number): number => (error === null ? running(isOn, run) : run);
  return {
    ...state,
    settings: event.settings ?? state.settings,
    hintedAtMs: wasHinted ? null : state.hintedAtMs,
    asking: {
      polls: asking.polls + 1,
      lastEndedAtMs: atMs,
      notBeforeMs: atMs + verificationRetryAfterMs(answer),
      isDeferred: false,
      // A hint means that something has happened; the bank may show it only a moment later.
      unchangedRun: isNews || wasHinted ? 0 : asking.unchangedRun + 1,
      notFoundRun: afterError(answer.kind === 'not-found', asking.notFoundRun),
      unauthorizedRun:
        error === null || error.code === 'UNAUTHORIZED'
          ? running(error !== null, asking.unauthorizedRun)
          : asking.unauthorizedRun,
      noAnswerRun: running(error !== null, asking.noAnswerRun),
      lastError: error,
      isUnsure: error?.code === 'STEP_LOST' || (asking.isUnsure && answer.kind !== 'status'),
    },
  };
}

/**
 * A readable status that does not end the verification: pending, not mapped, or final in an answer that does not name
 * its request or that contradicts the status before. Any other final status arrives here as an `outcome`.
 */
function withStatus(state: VerificationState, seen: SeenStatus, atMs: number): VerificationState {
  const { status, meaning, statusDate } = seen;
  const isNewStatus = state.last?.status !== status;
  let flags = flag(state.flags, 'STATUS_UNKNOWN', meaning === null, atMs);
  flags = flag(flags, 'ECHO_INCOMPLETE', isOutcome(meaning) && !seen.isEchoed, atMs);
  // The flag stays until the end: a person must know that the bank withdrew an outcome, even if it reports the outcome
  // again.
  if (isNewStatus && seen.leftFinal) flags = flag(flags, 'STATUS_LEFT_FINAL', true, atMs);
  return withLastStatus({ ...state, flags }, { status, meaning, statusDate }, atMs);
}

function ended(state: VerificationState, result: VerificationResult, atMs: number): VerificationState {
  const { status, outcome, statusDate } = result;
  const reported = withLastStatus(state, { status, meaning: outcome, statusDate }, atMs);
  return { ...reported, flags: {}, stage: { name: 'ended', result } };
}

function withLastStatus(
  state: VerificationState,
  seen: Pick<SeenStatus, 'status' | 'meaning' | 'statusDate'>,
  atMs: number,
): VerificationState {
  const { status, meaning, statusDate } = seen;
  const { last } = state;
  const sinceMs = last?.status === status ? last.sinceMs : null;
  return {
    ...state,
    last: { status, meaning, statusDate, sinceMs: sinceMs ?? atMs },
    history: sinceMs === null ? [...state.history, { status, atMs }].slice(-HISTORY_MAX) : state.history,
  };
}

/** `OPEN_TOO_LONG`: the same status, or no status at all, for `ATTENTION_AFTER_KYC`. */
function withAge(state: VerificationState, nowMs: number): VerificationState {
  if (state.stage.name !== 'tracking') return state;
  const sinceMs = state.last?.sinceMs ?? state.openedAtMs;
  const isOld = nowMs - sinceMs >= state.settings.attentionAfterMs;
  const flags = flag(state.flags, 'OPEN_TOO_LONG', isOld, nowMs);
  return flags === state.flags ? state : { ...state, flags };
}
