import { apply } from '../../../src/domain/transfer/apply';
import type {
  CreateAnswer,
  LookupAnswer,
  RequestErrorCode,
  SeenMovement,
} from '../../../src/domain/transfer/answers';
import type { DecisionAction, DecisionRecord } from '../../../src/domain/transfer/decisions/decision';
import { judgeDecision } from '../../../src/domain/transfer/decisions/judge-decision';
import { nextStep } from '../../../src/domain/transfer/next-step';
import type { Step } from '../../../src/domain/transfer/next-step';
import type { TransferResult } from '../../../src/domain/transfer/result';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import type { TransferSettings } from '../../../src/domain/transfer/settings';
import { initialState } from '../../../src/domain/transfer/state';
import type { TransferState } from '../../../src/domain/transfer/state';

/** One scripted action of the bank, the network or a person. */
export type CreateScript =
  | 'held-back'
  | 'not-sent'
  | 'refused'
  | 'unknown'
  | 'unauthorized'
  /** The worker dies, and Temporal notices; the request's bytes may arrive for another `IN_FLIGHT_MS`. */
  | 'worker-lost'
  | LookupMovement;

export const IN_FLIGHT_MS = 30_000;
export type LookupScript = 'not-found' | 'no-answer' | 'unauthorized' | 'rate-limited' | LookupMovement;
export interface LookupMovement {
  readonly status: string;
  /** `other-id`: everything as ordered, but another movement. */
  readonly echo: 'match' | 'incomplete' | 'mismatch' | 'other-origin' | 'other-id';
  /** The movement's id; default: ours. */
  readonly id?: string | null;
}

export interface Script {
  readonly creates: readonly CreateScript[];
  readonly lookups: readonly LookupScript[];
  /** How long the limiter defers each try of a request, in order, ms; 0: not deferred. */
  readonly deferrals?: readonly number[];
  /** How long the step of each create waits for a worker before its number is claimed, in order, ms. */
  readonly createWaits?: readonly number[];
  /** Duration of each request, in order, ms. */
  readonly durations: readonly number[];
  /** A hint or a cancel that arrives after this many steps. */
  readonly signals: readonly { readonly afterStep: number; readonly kind: 'hinted' | 'cancel-requested' }[];
  /** What operators try after this many steps. */
  readonly decisions: readonly {
    readonly afterStep: number;
    readonly action: DecisionAction;
    readonly operator: string;
  }[];
}

/** A decision that was allowed. */
export interface Decided {
  readonly record: DecisionRecord;
  readonly atMs: number;
  /** The state in which it was judged. */
  readonly before: TransferState;
  /** Requests made until then. */
  readonly requestsBefore: number;
}

export interface Request {
  readonly kind: 'create' | 'lookup';
  readonly number: number;
  /** When its number was claimed. */
  readonly startMs: number;
  readonly endMs: number;
  /** Until this time the request's bytes may reach the bank. */
  readonly arrivesByMs: number;
  readonly answer: CreateAnswer | LookupAnswer;
  /** The state in which the request was decided. */
  readonly before: TransferState;
}

export interface Trace {
  readonly state: TransferState;
  readonly requests: readonly Request[];
  readonly steps: readonly Step[];
  readonly decisions: readonly Decided[];
  /** The journal's rows of decisions. */
  readonly lines: readonly DecisionRecord[];
  readonly annulments: readonly {
    readonly evidenceNumber: number;
    readonly operators: readonly string[];
    readonly result: TransferResult;
  }[];
  /** For each repeat that the journal denied: the number of requests before it. */
  readonly deniedAfter: readonly number[];
  /** Creates that the emergency brake held back. */
  readonly heldBack: readonly { readonly atMs: number; readonly before: TransferState }[];
}

const STOP = { at: '2026-01-05T10:00:00.000Z', operator: 'ana', reason: 'the bank asked us to' };

export const MOVEMENT_ID = '900100';

export function seen({ status, echo, id = MOVEMENT_ID }: LookupMovement): SeenMovement {
  return {
    status,
    movementId: echo === 'other-id' ? '666' : id,
    network: 'COELSA',
    networkId: 'ABCDEFGHIJKLMNOPQRSTUV',
    postingAt: null,
    completedAt: null,
    echo: echo === 'other-origin' ? 'mismatch' : echo === 'other-id' ? 'match' : echo,
    echoFields:
      echo === 'other-origin'
        ? ['originId']
        : echo === 'mismatch'
          ? ['amount']
          : echo === 'incomplete'
            ? ['details']
            : [],
    evidenceSha256: '00',
  };
}

/** Runs the machine against a script on a virtual clock, until the transfer ends or `stepsMax` steps were taken. */
export function live(
  script: Script,
  stepsMax: number,
  settings: TransferSettings = DEFAULT_TRANSFER_SETTINGS,
): Trace {
  let nowMs = 1_000_000;
  let state = initialState(4711, nowMs);
  const requests: Request[] = [];
  const steps: Step[] = [];
  const decisions: Decided[] = [];
  const lines: DecisionRecord[] = [];
  const annulments: Trace['annulments'][number][] = [];
  const heldBack: { atMs: number; before: TransferState }[] = [];
  const deniedAfter: number[] = [];
  let creates = 0;
  let lookups = 0;
  let tries = 0;

  for (let taken = 0; taken < stepsMax; taken += 1) {
    for (const signal of script.signals) {
      if (signal.afterStep === taken) state = apply(state, { kind: signal.kind, atMs: nowMs });
    }
    for (const [index, { afterStep, action, operator }] of script.decisions.entries()) {
      if (afterStep !== taken) continue;
      const judged = judgeDecision(state, { action, operator, reason: `letter ${index}` }, nowMs);
      if (judged.kind !== 'decided') continue;
      const record = { ...judged.record, id: `run-1/${index}` };
      decisions.push({ record, atMs: nowMs, before: state, requestsBefore: requests.length });
      state = apply(state, { kind: 'decided', atMs: nowMs, record });
    }
    const step = nextStep(state, nowMs);
    steps.push(step);
    if (step.do === 'end') break;
    const before = state;
    switch (step.do) {
      case 'receive':
        state = apply(state, {
          kind: 'received',
          atMs: nowMs,
          orderSha256: 'f'.repeat(64),
          amountValue: '1500.25',
          settings,
          facts: null,
          journalId: 'pg-1',
        });
        break;
      case 'wait':
        nowMs = step.untilMs;
        break;
      case 'create':
      case 'lookup': {
        const afterMs = script.deferrals?.[tries++] ?? 0;
        if (afterMs > 0) {
          state = apply(state, { kind: 'request-deferred', atMs: nowMs, afterMs });
          break;
        }
        const startedAtMs = nowMs;
        const isHeldBack = step.do === 'create' && script.creates[creates] === 'held-back';
        if (step.do === 'create' && !isHeldBack) nowMs += script.createWaits?.[creates] ?? 0;
        const startMs = nowMs;
        if (step.do === 'create' && isTooLate(requests, startMs, settings)) {
          creates += 1;
          deniedAfter.push(requests.length);
          state = apply(state, { kind: 'repeat-denied', atMs: nowMs });
          break;
        }
        // The emergency brake: the number is not claimed, and no request is made.
        if (isHeldBack) {
          creates += 1;
          heldBack.push({ atMs: nowMs, before });
          state = apply(state, { kind: 'held-back', atMs: nowMs, startedAtMs, stop: STOP });
          break;
        }
        nowMs += script.durations[requests.length % Math.max(1, script.durations.length)] ?? 0;
        const timing = {
          atMs: nowMs,
          startedAtMs,
          number: step.number,
          settings,
          inFlightMs: 0,
        };
        if (step.do === 'create') {
          const scripted = script.creates[creates++] ?? 'unknown';
          const answer = createAnswer(scripted === 'held-back' ? 'unknown' : scripted);
          const isLost = scripted === 'worker-lost';
          const inFlightMs = isLost ? IN_FLIGHT_MS : 0;
          requests.push({
            ...{ kind: 'create', number: step.number, startMs, endMs: nowMs },
            ...{ arrivesByMs: nowMs + inFlightMs, answer, before },
          });
          state = apply(state, {
            ...{ ...timing, kind: 'create-ended', answer, claimAgeMs: nowMs - startMs },
            ...(isLost ? { inFlightMs, isLost } : {}),
          });
        } else {
          const answer = lookupAnswer(
            script.lookups[lookups++ % Math.max(1, script.lookups.length)] ?? 'not-found',
          );
          requests.push({
            ...{ kind: 'lookup', number: step.number, startMs, endMs: nowMs, arrivesByMs: nowMs },
            ...{ answer, before },
          });
          state = apply(state, { ...timing, kind: 'lookup-ended', answer });
        }
        break;
      }
      case 'await-decision':
        nowMs = step.ageAtMs ?? nowMs + 86_400_000;
        state = apply(state, { kind: 'time-passed', atMs: nowMs });
        break;
      case 'withdraw':
        state = apply(state, { kind: 'withdrawal-granted', atMs: nowMs, number: step.number });
        break;
      case 'record-flags':
        state = apply(state, { kind: 'flags-recorded', atMs: nowMs, reasons: step.reasons });
        break;
      case 'record-decision':
        lines.push(step.record);
        state = apply(state, { kind: 'decision-recorded', atMs: nowMs, id: step.record.id });
        break;
      case 'record-result':
        state = apply(state, { kind: 'result-recorded', atMs: nowMs, result: step.result, conflict: false });
        break;
      case 'record-annulment':
        annulments.push(step);
        state = apply(state, {
          kind: 'result-recorded',
          atMs: nowMs,
          result: { ...step.result, annulmentId: 'a-1' },
          conflict: false,
        });
        break;
    }
  }
  return { state, requests, steps, decisions, lines, heldBack, deniedAfter, annulments };
}

/** The journal checks the time for repeats by its own clock, when the number is claimed. */
function isTooLate(
  requests: readonly Request[],
  startMs: number,
  { resendWindowMs }: TransferSettings,
): boolean {
  const first = requests.find(({ kind, answer }) => kind === 'create' && answer.kind !== 'not-sent');
  return first !== undefined && startMs - first.startMs > resendWindowMs;
}

const error = (code: RequestErrorCode, retryAfterMs: number | null = null) => ({
  code,
  httpStatus: null,
  retryAfterMs,
});

function createAnswer(script: Exclude<CreateScript, 'held-back'>): CreateAnswer {
  switch (script) {
    case 'not-sent':
      return { kind: 'not-sent', error: error('CONNECTION_REFUSED') };
    case 'refused':
      return { kind: 'refused', httpStatus: 422, code: 'LIMIT' };
    case 'unknown':
      return { kind: 'unknown', error: error('TIMEOUT') };
    case 'worker-lost':
      return { kind: 'unknown', error: error('REPEATED_STEP') };
    case 'unauthorized':
      return { kind: 'unknown', error: error('UNAUTHORIZED') };
    default:
      return { kind: 'answered', movement: seen(script) };
  }
}

function lookupAnswer(script: LookupScript): LookupAnswer {
  switch (script) {
    case 'not-found':
      return { kind: 'not-found' };
    case 'no-answer':
      return { kind: 'no-answer', error: error('TIMEOUT') };
    case 'unauthorized':
      return { kind: 'no-answer', error: error('UNAUTHORIZED') };
    case 'rate-limited':
      return { kind: 'no-answer', error: error('RATE_LIMITED', 40_000) };
    default:
      return { kind: 'movement', movement: seen(script) };
  }
}
