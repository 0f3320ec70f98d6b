import { NoWorkerAnswerError, TransferNotFoundError } from '../client/errors';
import type { GiroClient } from '../client/giro-client';
import type { TransferView } from '../domain/transfer/view';
import { inParallel } from '../activities/in-parallel';

const QUERIES_AT_ONCE = 20;
const QUERY_TIMEOUT_MS = 2_500;
/** After that many the workers are taken for absent: the rest is told from the journal at once. */
const UNANSWERED_MAX = 3;

/**
 * The live views of transfers, by originId, from workers that answer within some seconds; the others are absent.
 *
 * @throws ServerUnreachableError the engine itself does not answer
 */
export async function liveViews(
  giro: Pick<GiroClient, 'transferState'>,
  originIds: readonly number[],
): Promise<ReadonlyMap<number, TransferView>> {
  const views = new Map<number, TransferView>();
  let unanswered = 0;
  await inParallel(originIds, QUERIES_AT_ONCE, async (originId) => {
    if (unanswered >= UNANSWERED_MAX) return;
    try {
      views.set(originId, await giro.transferState(originId, { timeoutMs: QUERY_TIMEOUT_MS }));
    } catch (error) {
      if (error instanceof NoWorkerAnswerError) unanswered++;
      else if (!(error instanceof TransferNotFoundError)) throw error;
    }
  });
  return views;
}
