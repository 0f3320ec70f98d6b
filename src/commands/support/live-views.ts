import {
  NoWorkerAnswerError,
  TransferNotFoundError,
  NoVerificationAnswerError,
  VerificationNotFoundError,
} from '../../client/errors';
import type { GiroClient } from '../../client/giro-client';
import type { TransferView } from '../../domain/transfer/view';
import type { VerificationView } from '../../domain/verification/view';
import { inParallel } from '../../activities/in-parallel';

const QUERIES_AT_ONCE = 20;
const QUERY_TIMEOUT_MS = 2_500;
/** After this many time-outs, workers count as absent: the rest comes from the journal at once. */
const UNANSWERED_MAX = 3;

type ErrorKind = new (...args: never[]) => Error;

/**
 * The live views of runs, by id, from workers that answer within some seconds; the others are missing. Other errors
 * are thrown.
 */
async function liveAnswers<Id, View>(
  ids: readonly Id[],
  query: (id: Id, options: { readonly timeoutMs: number }) => Promise<View>,
  errors: { readonly noAnswer: ErrorKind; readonly notFound: ErrorKind },
): Promise<ReadonlyMap<Id, View>> {
  const views = new Map<Id, View>();
  let unanswered = 0;
  await inParallel(ids, QUERIES_AT_ONCE, async (id) => {
    if (unanswered >= UNANSWERED_MAX) return;
    try {
      views.set(id, await query(id, { timeoutMs: QUERY_TIMEOUT_MS }));
    } catch (error) {
      if (error instanceof errors.noAnswer) unanswered++;
      else if (!(error instanceof errors.notFound)) throw error;
    }
  });
  return views;
}

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
