import { isMovementStatus } from '../../movement';
import type { FinalMovementStatus } from '../../movement';
import type { SeenMovement } from '../answers';
import type { DecisionAction } from './decision';
import type { AttentionReason } from '../flags';
import { SENDS_MAX } from '../repeat';
import type { TransferState } from '../state';

/** "Not taken" may be decided this long after the last send: by then every network has completed its settlement day. */
const NOT_TAKEN_AFTER_MS = 86_400_000;

/**
 * `ok`: allowed from and until, in ms by the run's clock; null: no bound. Otherwise the rule that forbids the decision.
 */
export type Permission =
  | { readonly ok: true; readonly fromMs: number | null; readonly untilMs: number | null }
  | { readonly ok: false; readonly rule: string };

export interface DecisionRow {
  readonly reasons: readonly AttentionReason[];
  readonly action: Exclude<DecisionAction, 'withdraw'>;
  readonly operators: 1 | 2;
  /** For the help text and the documentation: what the action does, and when. */
  readonly says: string;
  readonly permission: (state: TransferState) => Permission;
}

/** `JOURNAL_CONFLICT` only if a resume did not resolve it (`judgeDecision`). */
const ENDED_BY_ECHO_TERMS = ['ECHO_MISMATCH', 'ECHO_INCOMPLETE', 'JOURNAL_CONFLICT'] as const;

/**
 * What may be decided under which flag (contract 4.6), in the contract's order. An open proposal may also be withdrawn;
 * everything else is refused.
 */
export const DECISION_TABLE: readonly DecisionRow[] = [
  {
    reasons: ['ORDER_TAMPERED'],
    action: 'resume',
    operators: 1,
    says: 'check the order again, and send it if it is valid; a transfer that was sent before is not sent again: the bank is asked 12 more times at the active cadence',
    permission: always,
  },
  {
    reasons: ['OUTCOME_UNKNOWN', 'VANISHED'],
    action: 'resume',
    operators: 1,
    says: 'ask 12 more times at the active cadence; nothing is sent',
    permission: always,
  },
  {
    reasons: ['OUTCOME_UNKNOWN', 'VANISHED', 'ORDER_TAMPERED'],
    action: 'resend',
    operators: 2,
    says: `the same bytes once more: within RESEND_WINDOW of the first send, at most ${SENDS_MAX} sends in total, never once a look-up found a movement, nor when the journal has lost requests`,
    permission: mayResend,
  },
  {
    reasons: ['OUTCOME_UNKNOWN', 'VANISHED', 'ORDER_TAMPERED'],
    action: 'accept-not-taken',
    operators: 2,
    says: 'end it as REFUSED: when nothing was ever sent, or 24 h after the last send with a not-found younger than POLL_DELAYED',
    permission: nothingWasTaken,
  },
  {
    reasons: ['ECHO_MISMATCH', 'ECHO_INCOMPLETE'],
    action: 'resume',
    operators: 1,
    says: 'ask again, and judge the next answer afresh',
    permission: always,
  },
  {
    reasons: ENDED_BY_ECHO_TERMS,
    action: 'accept-not-taken',
    operators: 2,
    says: 'end it as REFUSED: what the bank shows is not this order',
    permission: (state) => {
      const seen = lastMovement(state);
      // If the bank no longer finds anything, "not taken" has the terms of a not-found.
      if (seen === null) return nothingWasTaken(state);
      return seen.echo === 'match' ? no("the bank's last answer matches the order") : always();
    },
  },
  {
    reasons: ENDED_BY_ECHO_TERMS,
    action: 'accept-completed',
    operators: 2,
    says: "end it as COMPLETED: only if the bank's last answer says COMPLETED",
    permission: (state) => lastAnswerSays(state, 'COMPLETED'),
  },
  {
    reasons: ENDED_BY_ECHO_TERMS,
    action: 'accept-failed',
    operators: 2,
    says: "end it as FAILED, with its annulment: only if the bank's last answer says FAILED",
    permission: (state) => lastAnswerSays(state, 'FAILED'),
  },
  {
    reasons: ['STATUS_UNKNOWN'],
    action: 'resume',
    operators: 1,
    says: 'clear the flag until the bank reports such a status again',
    permission: always,
  },
  {
    reasons: ['STATUS_UNKNOWN'],
    action: 'accept-completed',
    operators: 2,
    says: "end it as COMPLETED: the bank's unknown status means that",
    permission: lastStatusIsUnknown,
  },
  {
    reasons: ['STATUS_UNKNOWN'],
    action: 'accept-failed',
    operators: 2,
    says: "end it as FAILED, with its annulment: the bank's unknown status means that",
    permission: lastStatusIsUnknown,
  },
  {
    reasons: ['OPEN_TOO_LONG'],
    action: 'resume',
    operators: 1,
    says: 'clear the flag until the same age has passed again',
    permission: always,
  },
  {
    reasons: ['JOURNAL_CONFLICT'],
    action: 'resume',
    operators: 1,
    says: 'read the journal again: a recorded result remains, an open transfer goes on by look-up; if the journal refuses again for the same reason, the transfer may be ended by the terms of ECHO_MISMATCH',
    permission: always,
  },
  {
    reasons: ['BANK_UNAUTHORIZED'],
    action: 'resume',
    operators: 1,
    says: 'clear the flag until 12 more answers 401 or 403',
    permission: always,
  },
];

/** The bank's last readable answer if it was a movement; null: it was a not-found, or this run has not asked yet. */
export function lastMovement({ bank }: TransferState): (SeenMovement & { readonly number: number }) | null {
  return bank.lastAnswer !== null && bank.lastAnswer.number > (bank.lastNotFound?.number ?? 0)
    ? bank.lastAnswer
    : null;
}

function always(): Permission {
  return { ok: true, fromMs: null, untilMs: null };
}

function no(rule: string): Permission {
  return { ok: false, rule };
}

function mayResend({ sends, bank, settings }: TransferState): Permission {
  if (bank.foundByLookup) return no('a look-up has found a movement: it is never sent again');
  if (sends.firstAtMs === null) return no('nothing was sent yet');
  if (sends.isCountKnown === false)
    return no('the journal has lost requests of it: it may have been sent more often');
  if (sends.count >= SENDS_MAX) return no(`it was sent ${sends.count} times, the most that is allowed`);
  return { ok: true, fromMs: null, untilMs: sends.firstAtMs + settings.resendWindowMs };
}

function nothingWasTaken({ stage, sends, bank, settings }: TransferState): Permission {
  if (stage.name === 'ending' && stage.result.status === 'WITHDRAWN') return no('it is withdrawn');
  if (sends.lastAtMs === null)
    return bank.lastStatus === null ? always() : no('nothing was sent, and the bank knows a movement');
  if (bank.lastNotFound === null || bank.lastNotFound.number < (bank.lastAnswer?.number ?? 0)) {
    return no("the bank's last readable answer to this run is not a not-found");
  }
  return {
    ok: true,
    fromMs: sends.lastAtMs + NOT_TAKEN_AFTER_MS,
    untilMs: bank.lastNotFound.atMs + settings.pollDelayedMs,
  };
}

function lastAnswerSays(state: TransferState, status: FinalMovementStatus): Permission {
  return lastMovement(state)?.status === status
    ? always()
    : no(`the bank's last answer to this run is not ${status}`);
}

function lastStatusIsUnknown(state: TransferState): Permission {
  const seen = lastMovement(state);
  return seen !== null && !isMovementStatus(seen.status) && seen.echo !== 'mismatch'
    ? always()
    : no("the bank's last answer to this run has no unknown status, or differs from the order");
}
