import type { Permit } from '../bank/limiter/limiter';
import type { BankClient, LookupReply } from '../bank/movements/port';
import { observeLookup } from '../bank/movements/observation';
import { judgeFinal } from '../domain/post-final';
import type { FinalJudgement } from '../domain/post-final';
import type { LookupAnswer } from '../domain/transfer/answers';
import { CLAIM_ANSWER_MS } from '../domain/transfer/cadence';
import type { TransferSettings } from '../domain/transfer/settings';
import type { Incident } from '../journal/statements/incidents';
import type { ClaimedInquiry } from '../journal/statements/inquiries';
import type { Journal } from '../journal/journal';
import { answerDigest } from './answer-digest';

export interface InquiryContext {
  readonly bank: Pick<BankClient, 'getMovement'>;
  readonly journal: Pick<Journal, 'claimInquiry' | 'recordInquiry' | 'recordAnswer'>;
  readonly settings: InquirySettings;
}
type InquirySettings = Pick<
  TransferSettings,
  'pollActiveMs' | 'pollDelayedMs' | 'createTimeoutMs' | 'lookupTimeoutMs'
>;

export interface Inquiry {
  readonly originId: number;
  /** Who asks, for audits: a command, the workflow id of a reconciliation, or `notified debit`. */
  readonly askedBy: string;
  /** `asOf` of the reconciliation that asks; null: no reconciliation asks. */
  readonly asOf: string | null;
  /** For an open transfer whose run is lost: the number of its last request (0: none). */
  readonly lostAfter: number | null;
}

/** The permit and the callback of an admitted inquiry. */
export interface InquiryCall {
  readonly permit: Permit;
  /** Call it with the bank's reply, before the reply is processed. */
  readonly received: (reply: LookupReply) => void;
}

export type Inquired =
  | {
      readonly kind: 'asked';
      readonly answer: LookupAnswer;
      /** Null: the transfer is open, or does not exist. */
      readonly judgement: FinalJudgement | null;
      /** Raised by this answer; null: no contradiction, or a known one. */
      readonly incident: Incident | null;
      /** Holds account numbers: for operators only, never for histories and logs. */
      readonly reply: LookupReply;
    }
  | Exclude<ClaimedInquiry, { readonly kind: 'claimed' }>;

/**
 * Asks the bank about an originId that no run asks about, and records the answer. If the answer contradicts the
 * transfer's end, records an incident too; the result stays as it is, and nothing is annulled. One originId is asked
 * about at most once in `POLL_ACTIVE`, or in `POLL_DELAYED` while the bank's last status is DELAYED.
 */
export async function inquire(
  { bank, journal, settings }: InquiryContext,
  inquiry: Inquiry,
  call?: InquiryCall,
): Promise<Inquired> {
  const { originId } = inquiry;
  const claim = await claimInquiry({ journal, settings }, inquiry);
  if (claim.kind !== 'claimed') return claim;
  const { number, order, result } = claim;
  const reply = await bank.getMovement(
    { originId: String(originId) },
    { workflowTime: null, ...(call && { permit: call.permit }) },
  );
  call?.received(reply);
  const { answer, differing } = observeLookup(order, reply);
  if (claim.as === 'request') {
    await journal.recordAnswer({ originId, number, answer, digest: answerDigest(answer), differing });
    return { kind: 'asked', answer, judgement: null, incident: null, reply };
  }
  const judgement = result === null ? null : judgeFinal(result, answer);
  const incident = await journal.recordInquiry({ originId, number, answer, judgement });
  return { kind: 'asked', answer, judgement, incident, reply };
}

/**
 * Claims an inquiry at the bank's cadence. Whoever asks next assumes that an inquiry without a recorded answer left
 * within `CLAIM_ANSWER_MS` of its claim, so a process that was delayed for longer must not ask.
 */
export async function claimInquiry(
  { journal, settings }: { journal: Pick<Journal, 'claimInquiry'>; settings: InquirySettings },
  inquiry: Inquiry,
): Promise<ClaimedInquiry> {
  const claim = await journal.claimInquiry({ ...inquiry, ...gapsOf(settings) });
  return claim.kind === 'claimed' && claim.claimAgeMs > CLAIM_ANSWER_MS
    ? { kind: 'too-soon', waitMs: settings.lookupTimeoutMs }
    : claim;
}

const gapsOf = ({ pollActiveMs, pollDelayedMs, createTimeoutMs, lookupTimeoutMs }: InquirySettings) => ({
  ...{ gapMs: pollActiveMs, delayedGapMs: pollDelayedMs },
  createMaxMs: CLAIM_ANSWER_MS + createTimeoutMs,
  lookupMaxMs: CLAIM_ANSWER_MS + lookupTimeoutMs,
});
