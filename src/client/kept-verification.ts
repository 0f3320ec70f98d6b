import { parseJson } from '../bank/http/json';
import { ourBank } from '../bank/our-bank';
import { OPERATOR_RULE, REASON_RULE, readOperator, readReason } from '../domain/audit-words';
import { isRequestId } from '../domain/verification/request-id';
import type { IdentityVerification } from '../domain/verification/identity-verification';
import { InvalidReaderError, InvalidRequestIdError } from './verification-errors';
import type { Journal } from '../journal/journal';

/** The bank's full answer: personal data. */
export interface KeptVerification {
  readonly verification: IdentityVerification;
  /** ISO UTC. */
  readonly keptAt: string;
}

/** Who reads a full answer, and why; written down before it is read, and not authenticated here. */
export interface AnswerReader {
  /** One line of 1–100 printable characters, without an account or tax number. */
  readonly operator: string;
  /** Likewise, 1–200. */
  readonly reason?: string;
}

export type KeptAnswers = Pick<Journal, 'verificationAnswer' | 'recordAudit'>;

/** The latest full answer that the journal keeps; null: none. */
export async function keptVerification(
  journal: KeptAnswers,
  requestId: string,
  { operator, reason = null }: { readonly operator: string; readonly reason?: string | null },
): Promise<KeptVerification | null> {
  if (!isRequestId(requestId)) throw new InvalidRequestIdError();
  const who = readOperator(operator);
  if (who === null) throw new InvalidReaderError(`operator ${OPERATOR_RULE}`);
  const why = reason === null ? null : readReason(reason);
  if (reason !== null && why === null) throw new InvalidReaderError(`reason ${REASON_RULE}`);
  await journal.recordAudit({ action: 'kyc show', subject: requestId, operator: who, reason: why });
  const kept = await journal.verificationAnswer(requestId);
  if (kept === null) return null;
  const json = parseJson(kept.text);
  const verification = json.ok ? ourBank.verifications.readVerification(json.value) : null;
  if (verification === null) throw new Error('the answer that is kept is not a verification');
  return { verification, keptAt: kept.keptAt };
}
