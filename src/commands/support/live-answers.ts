import { inParallel } from '../../activities/in-parallel';

const QUERIES_AT_ONCE = 20;
const QUERY_TIMEOUT_MS = 2_500;
/** After that many the workers are taken for absent: the rest is told from the journal at once. */
const UNANSWERED_MAX = 3;

type ErrorKind = new (...args: never[]) => Error;

/** What workers that answer within some seconds say of runs, by id; the others are absent. Other errors are thrown. */
export async function liveAnswers<Id, View>(
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
