import { NoWorkerAnswerError, TransferNotFoundError } from '../../client/errors';
import type { GiroClient } from '../../client/giro-client';
import type { TransferView } from '../../domain/transfer/view';
import { liveAnswers } from './live-answers';

/**
 * The live views of transfers, by originId.
 *
 * @throws ServerUnreachableError the engine itself does not answer
 */
export const liveViews = (
  giro: Pick<GiroClient, 'transferState'>,
  originIds: readonly number[],
): Promise<ReadonlyMap<number, TransferView>> =>
  liveAnswers(originIds, (originId, options) => giro.transferState(originId, options), {
    noAnswer: NoWorkerAnswerError,
    notFound: TransferNotFoundError,
  });
