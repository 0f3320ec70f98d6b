import type { SeenStatus } from './events';
import { recordableKycStatus, isOutcome, meaningOf } from './status-map';
import type { StatusMap } from './status-map';

/** The parts of the bank's answer that count. */
export interface ReportedStatus {
  /** The request that the answer names; null: none. */
  readonly requestId: string | null;
  /** The bank's status, not yet mapped. */
  readonly status: string;
  /** ISO UTC. */
  readonly statusDate: string | null;
}

export interface AskedRequest {
  readonly requestId: string;
  /** The last reported status, in its recordable form; null: none. */
  readonly lastStatus: string | null;
}

/** Maps an answer's status; null: the answer is about another request, so nothing in it counts. */
export function seeStatus(
  reported: ReportedStatus,
  asked: AskedRequest,
  map: StatusMap,
  shortHash: (text: string) => string,
): SeenStatus | null {
  if (reported.requestId !== null && reported.requestId !== asked.requestId) return null;
  const meaning = meaningOf(map, reported.status);
  const before = asked.lastStatus === null ? null : meaningOf(map, asked.lastStatus);
  return {
    status: recordableKycStatus(reported.status, map, shortHash),
    meaning,
    statusDate: reported.statusDate,
    isEchoed: reported.requestId !== null,
    leftFinal: isOutcome(before) && before !== meaning,
  };
}

/**
 * Only a status that is mapped to an outcome, in an answer that names the request, ends a verification. A status that
 * contradicts the one before must be reported twice, so that somebody may ask the bank first.
 */
export function endsVerification<Seen extends SeenStatus>(
  seen: Seen,
): seen is Seen & { readonly meaning: 'approved' | 'rejected' } {
  return seen.isEchoed && !seen.leftFinal && isOutcome(seen.meaning);
}
