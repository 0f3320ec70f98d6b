import type { Permit } from '../bank/limiter/limiter';
import { shortHash } from '../bank/short-hash';
import type { VerificationAnswer } from '../domain/verification/events';
import { endsVerification, seeStatus } from '../domain/verification/see-status';
import type { VerificationSettings } from '../domain/verification/state';
import type { Meaning } from '../domain/verification/status-map';
import type { VerificationActivityContext } from './verification-context';

export interface VerificationQuestion {
  readonly requestId: string;
  /** The status that the run knows; null: none. */
  readonly known: { readonly status: string; readonly meaning: Meaning | null } | null;
  /** An earlier step was lost, so the journal may know more than the run. */
  readonly isUnsure: boolean;
  /** Workflow time, ISO UTC. */
  readonly workflowTime: string;
  /** The step was deferred before, and this is its assigned time. */
  readonly returning: boolean;
}

export type AskedVerification =
  | {
      readonly kind: 'asked';
      readonly answer: VerificationAnswer;
      readonly settings: VerificationSettings;
    }
  /** The limiter defers the look-up by `afterMs`; the bank was not asked. */
  | { readonly kind: 'deferred'; readonly afterMs: number };

/**
 * Asks the bank once. The current status map is applied here, so that the workflow's history holds what the status
 * meant at that time. A new status or meaning is recorded before this returns, and with it the outcome, if the status
 * is one. A known status is recorded again only if it ends the verification, or if an earlier step was lost
 * (`isUnsure`). Of the answer's content, only status and date enter the workflow, with their evaluation (`SeenStatus`).
 */
export function askVerification(context: VerificationActivityContext) {
  return async (question: VerificationQuestion): Promise<AskedVerification> => {
    const admission = await context.limiter.admit('verification', question);
    if (admission.kind === 'deferred') return { kind: 'deferred', afterMs: admission.afterMs };
    try {
      const answer = await ask(context, question, admission.permit);
      tell(context, question, answer);
      return { kind: 'asked', answer, settings: context.settings };
    } finally {
      admission.permit.release();
    }
  };
}

async function ask(
  { bank, journal, statusMap, keepsAnswers }: VerificationActivityContext,
  { requestId, known, isUnsure, workflowTime }: VerificationQuestion,
  permit: Permit,
): Promise<VerificationAnswer> {
  const reply = await bank.getVerification(requestId, { workflowTime, permit });
  if (reply.kind !== 'verification') return reply;

  const { verification, text, evidenceSha256, retryAfterMs } = reply;
  const seen = seeStatus(
    { ...verification, statusDate: verification.statusDate?.at ?? null },
    { requestId, lastStatus: known?.status ?? null },
    statusMap,
    shortHash,
  );
  if (seen === null) return { kind: 'mismatch', retryAfterMs };
  const ends = endsVerification(seen);
  if (ends || isUnsure || isNews(known, seen)) {
    const { status, meaning, statusDate } = seen;
    const result = await journal.recordStatus({
      ...{ requestId, status, meaning, statusDate, evidenceSha256, ends },
      // Kept only when the answer surely is about this request.
      answerText: keepsAnswers && seen.isEchoed ? text : null,
    });
    if (result !== null) return { kind: 'outcome', result };
  }
  return { kind: 'status', ...seen, retryAfterMs };
}

const isNews = (
  known: VerificationQuestion['known'],
  seen: { readonly status: string; readonly meaning: Meaning | null },
): boolean => known?.status !== seen.status || known.meaning !== seen.meaning;

function tell(
  { observer }: VerificationActivityContext,
  { requestId, known }: VerificationQuestion,
  answer: VerificationAnswer,
): void {
  if (observer === undefined) return;
  const error = answer.kind === 'no-answer' ? answer.error : null;
  const result = answer.kind === 'outcome' ? answer.result : null;
  observer.asked({
    ...{ requestId, outcome: answer.kind },
    status: answer.kind === 'status' ? answer.status : (result?.status ?? null),
    isNews: answer.kind === 'outcome' || (answer.kind === 'status' && isNews(known, answer)),
    ...{ code: error?.code ?? null, httpStatus: error?.httpStatus ?? null },
  });
  if (result !== null) observer.ended(result);
}
