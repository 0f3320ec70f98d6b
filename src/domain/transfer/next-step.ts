import { createDueMs, lookupDueMs } from './cadence';
import { isRepeatOver } from './repeat';
import { holdingReasons, isHeld, isRaised, openReasons } from './flags';
import { tooOldAtMs } from './flag-rules';
import type { DecisionRecord } from './decisions/decision';
import type { AttentionReason } from './flags';
import type { TransferResult } from './result';
import type { TransferState } from './state';

/** The next step of a transfer. Every request has the number that the journal will claim for it. */
export type Step =
  | { readonly do: 'receive' }
  | { readonly do: 'wait'; readonly untilMs: number; readonly before: 'create' | 'lookup' | 'receive' }
  /**
   * No request is planned: operators decide. `ageAtMs`: when `OPEN_TOO_LONG` is due; null: never, or raised already.
   */
  | { readonly do: 'await-decision'; readonly ageAtMs: number | null }
  | { readonly do: 'create'; readonly number: number }
  | { readonly do: 'lookup'; readonly number: number }
  | { readonly do: 'withdraw'; readonly number: number }
  | {
      readonly do: 'record-flags';
      readonly reasons: readonly AttentionReason[];
      /** The reason of `JOURNAL_CONFLICT`. */
      readonly conflict: string | null;
    }
  | { readonly do: 'record-decision'; readonly record: DecisionRecord }
  | { readonly do: 'record-result'; readonly result: TransferResult }
  | {
      readonly do: 'record-annulment';
      readonly result: TransferResult;
      readonly evidenceNumber: number;
      readonly operators: readonly string[];
    }
  | { readonly do: 'end'; readonly result: TransferResult };

export function nextStep(state: TransferState, nowMs: number): Step {
  const { stage } = state;
  // A decision is recorded before it takes effect; but while the journal is read again, the transfer may be missing
  // there.
  const [record] = state.decisions.unrecorded;
  if (record !== undefined && stage.name !== 'receiving') return { do: 'record-decision', record };
  const reasons = openReasons(state.flags);
  // Changed flags are recorded before any other step, because operators list them from the journal.
  const isKnown = stage.name !== 'receiving' || state.orderSha256 !== null;
  if (isKnown && !sameReasons(reasons, state.recordedReasons)) {
    const conflict = reasons.includes('JOURNAL_CONFLICT') ? (state.conflict?.reason ?? null) : null;
    return { do: 'record-flags', reasons, conflict };
  }
  const number = state.requests.lastNumber + 1;
  switch (stage.name) {
    case 'receiving':
      // A journal that refuses the order, or lacks the basis of a decision, is read again when operators resume, or at
      // the delayed cadence.
      return isRaised(state.flags, 'JOURNAL_CONFLICT')
        ? at((state.requests.lastEndedAtMs ?? 0) + state.settings.pollDelayedMs, nowMs, 'receive', number)
        : { do: 'receive' };
    case 'sending':
      // Nothing was ever sent, so the bank has nothing to look up.
      if (isHeld(state.flags) && state.sends.count === 0)
        return mayWithdraw(state) && isOnlyTampered(state)
          ? { do: 'withdraw', number }
          : awaitDecision(state, nowMs);
      if (isHeld(state.flags) || isRepeatOver(state, nowMs))
        return at(lookupDueMs(state), nowMs, 'lookup', number);
      if (mayWithdraw(state)) return { do: 'withdraw', number };
      return at(createDueMs(state), nowMs, 'create', number);
    case 'looking-up':
    case 'polling':
      return at(lookupDueMs(state), nowMs, 'lookup', number);
    case 'ending':
      // The journal refused this end, or contradicts the run: look-ups continue until operators decide. A result that
      // the journal holds stays.
      if (isHeld(state.flags)) return at(lookupDueMs(state), nowMs, 'lookup', number);
      return stage.result.status === 'FAILED'
        ? {
            do: 'record-annulment',
            result: stage.result,
            evidenceNumber: stage.evidenceNumber,
            operators: stage.operators,
          }
        : { do: 'record-result', result: stage.result };
    case 'ended':
      return { do: 'end', result: stage.result };
  }
}

/** A cancel is granted as long as no create may have reached the bank; the journal makes the final decision. */
export function mayWithdraw(state: TransferState): boolean {
  return (
    state.cancelRequestedAtMs !== null &&
    !state.withdrawalDenied &&
    state.sends.count === 0 &&
    state.stage.name === 'sending'
  );
}

/** A withdrawal does not need a valid order, but the run's numbers must agree with the journal's. */
const isOnlyTampered = ({ flags }: TransferState): boolean =>
  holdingReasons(flags).every((reason) => reason === 'ORDER_TAMPERED');

function awaitDecision(state: TransferState, nowMs: number): Step {
  const ageAtMs = tooOldAtMs(state);
  return { do: 'await-decision', ageAtMs: ageAtMs === null || ageAtMs <= nowMs ? null : ageAtMs };
}

const sameReasons = (a: readonly AttentionReason[], b: readonly AttentionReason[]): boolean =>
  a.length === b.length && a.every((reason, i) => reason === b[i]);

function at(dueMs: number, nowMs: number, next: 'create' | 'lookup' | 'receive', number: number): Step {
  if (nowMs < dueMs) return { do: 'wait', untilMs: dueMs, before: next };
  return next === 'receive' ? { do: 'receive' } : { do: next, number };
}
