import type { LookupReply } from '../bank/movements/port';
import type { BankClient } from '../bank/movements/port';
import { lookupAnswer } from '../bank/movements/observation';
import { judgeFinal } from '../domain/late-truth';
import type { FinalJudgement } from '../domain/late-truth';
import type { LookupAnswer } from '../domain/transfer/answers';
import type { TransferSettings } from '../domain/transfer/settings';
import type { FinalChecks, Incident } from '../journal/final-checks';

export interface FinalCheckContext {
  readonly bank: Pick<BankClient, 'getMovement'>;
  readonly journal: Pick<FinalChecks, 'claimFinalCheck' | 'recordFinalAnswer'>;
  readonly settings: Pick<TransferSettings, 'pollActiveMs' | 'pollDelayedMs' | 'lookupTimeoutMs'>;
}

export type FinalCheck =
  | {
      readonly kind: 'asked';
      readonly judgement: FinalJudgement;
      readonly answer: LookupAnswer;
      /** Raised by this check; null: no contradiction, or one that is known. */
      readonly incident: Incident | null;
    }
  /** The gap since the last request about this transfer has not passed: the bank was not asked. */
  | { readonly kind: 'too-soon'; readonly waitMs: number }
  /** Open, or not known: its run asks. */
  | { readonly kind: 'not-ended' };

/** `operator`: a person asks and waits. `reconciliation`: asks once in a run. `program`: a hint. */
export type Asker = 'operator' | 'reconciliation' | 'program';

export interface FinalQuestion {
  readonly originId: number;
  /** Lower-case words, for audits: `movement show`, `reconciliation`, `hint`. */
  readonly askedBy: string;
  readonly asker: Asker;
}

/**
 * Asks the bank about a transfer that has ended, and writes down an incident when it contradicts the end; the result
 * stays as it is, and nothing is annulled. Programs ask about one transfer at most once in `POLL_DELAYED`, people and
 * reconciliations in `POLL_ACTIVE`, unless the last answer said DELAYED. What it returns is fit for histories and logs.
 */
export function checkFinal(context: FinalCheckContext) {
  return async (question: FinalQuestion): Promise<FinalCheck> => {
    const asked = await askAboutFinal(context, question);
    if (asked.kind !== 'asked') return asked;
    const { reply: _, ...fit } = asked;
    return fit;
  };
}

/** The same with the bank's whole reply, which names accounts: for an operator's eyes alone. */
export async function askAboutFinal(
  { bank, journal, settings }: FinalCheckContext,
  { originId, askedBy, asker }: FinalQuestion,
): Promise<
  | (FinalCheck & { readonly kind: 'asked'; readonly reply: LookupReply })
  | Exclude<FinalCheck, { kind: 'asked' }>
> {
  const claim = await journal.claimFinalCheck({ originId, askedBy, ...gapsOf(settings, asker) });
  if (claim.kind !== 'claimed') return claim;
  const { seq, order, result } = claim;
  const reply = await bank.getMovement({ originId: String(originId) }, { workflowTime: null });
  const answer = lookupAnswer(order, reply);
  const judgement = judgeFinal(result, answer);
  const incident = await journal.recordFinalAnswer({ originId, seq, answer, judgement });
  return { kind: 'asked', judgement, answer, incident, reply };
}

export function gapsOf(
  { pollActiveMs, pollDelayedMs, lookupTimeoutMs }: FinalCheckContext['settings'],
  asker: Asker,
) {
  return {
    gapMs: asker === 'program' ? pollDelayedMs : pollActiveMs,
    delayedGapMs: pollDelayedMs,
    timeoutMs: lookupTimeoutMs,
  };
}
