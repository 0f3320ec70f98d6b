import type { GiroClient } from '../client/giro-client';
import { NoVerificationAnswerError, VerificationNotFoundError } from '../client/verification-errors';
import type { VerificationView } from '../domain/verification/view';
import { inParallel } from '../activities/in-parallel';

const QUERIES_AT_ONCE = 20;
const QUERY_TIMEOUT_MS = 2_500;
/** After that many the workers are taken for absent: the rest is told from the journal at once. */
const UNANSWERED_MAX = 3;

/**
 * The live views of verifications, by requestId, from workers that answer within some seconds; the others are absent.
 *
 * @throws ServerUnreachableError the engine itself does not answer
 */
export async function liveVerifications(
  giro: Pick<GiroClient, 'verificationState'>,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, VerificationView>> {
  const views = new Map<string, VerificationView>();
  let unanswered = 0;
  await inParallel(requestIds, QUERIES_AT_ONCE, async (requestId) => {
    if (unanswered >= UNANSWERED_MAX) return;
    try {
      views.set(requestId, await giro.verificationState(requestId, { timeoutMs: QUERY_TIMEOUT_MS }));
    } catch (error) {
      if (error instanceof NoVerificationAnswerError) unanswered++;
      else if (!(error instanceof VerificationNotFoundError)) throw error;
    }
  });
  return views;
}
