import type { GiroClient } from '../../client/giro-client';
import { NoVerificationAnswerError, VerificationNotFoundError } from '../../client/verification-errors';
import type { VerificationView } from '../../domain/verification/view';
import { liveAnswers } from './live-answers';

/**
 * The live views of verifications, by requestId.
 *
 * @throws ServerUnreachableError the engine itself does not answer
 */
export const liveVerifications = (
  giro: Pick<GiroClient, 'verificationState'>,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, VerificationView>> =>
  liveAnswers(requestIds, (requestId, options) => giro.verificationState(requestId, options), {
    noAnswer: NoVerificationAnswerError,
    notFound: VerificationNotFoundError,
  });
