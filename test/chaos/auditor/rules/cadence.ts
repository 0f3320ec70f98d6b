import type { BankRequest, Books, Rule, RunHistory } from '../books';
import { CUT_MS, isFromAStandstill, ms, originIdsOf, requestsOf } from '../reading';

/** Two requests about a movement keep the gap that the bank's last status demands, also across restarts. */
export const cadence: Rule = (books) =>
  originIdsOf(books).flatMap((originId) => {
    const requests = requestsOf(books, originId);
    return requests.slice(1).flatMap((request, i) => {
      const before = requests[i]!;
      if (isFromAStandstill(books, request) || isFromAStandstill(books, before)) return [];
      const word = wordInForce(books, originId, requests.slice(0, i + 1), request);
      const dueMs = word === 'DELAYED' ? books.terms.pollDelayedMs : books.terms.pollActiveMs;
      const gapMs = gapBetween(books, originId, before, request);
      if (gapMs === null || gapMs >= dueMs) return [];
      const sentence = `asked at ${request.at}, ${gapMs} ms after the request before; ${dueMs} ms are due (${word ?? 'no word yet'})`;
      return [{ rule: 'cadence', originId, sentence }];
    });
  });

/**
 * The bank's last status in the journal at that time. An answer that was lost with a worker does not count. A create's
 * answer with a wrong echo says nothing about our movement.
 */
function wordInForce(
  books: Books,
  originId: string,
  requests: readonly BankRequest[],
  next: BankRequest,
): string | null {
  const answers = books.journal.answer.filter(
    (it) => it.origin_id === originId && ms(it.recorded_at) <= ms(next.at),
  );
  const told = requests.filter(
    ({ at, movementStatus }) =>
      movementStatus !== null &&
      answers.some(
        (it) =>
          it.bank_status === movementStatus &&
          ms(it.recorded_at) >= ms(at) &&
          !(it.kind === 'answered' && it.echo === 'mismatch'),
      ),
  );
  return told.at(-1)?.movementStatus ?? null;
}

/** In ms; null: the books do not show the gap. */
function gapBetween(
  books: Books,
  originId: string,
  before: BankRequest,
  request: BankRequest,
): number | null {
  const passedMs = ms(request.at) - endOf(books, before, request);
  if (books.terms.clock === 'bank') return passedMs;
  if (before.giroTime === null || request.giroTime === null) return null;
  const [runBefore, run] = [runAt(books, originId, before), runAt(books, originId, request)];
  // Time that a run has skipped is lost with the run: the next run starts again at the bank's time.
  if (isAnew(runBefore, run)) return ms(request.giroTime) - endOf(books, before, request);
  const skippedMs = ms(request.giroTime) - ms(before.giroTime);
  // Time goes back if a worker whose task has timed out continues this task after another worker's request.
  return skippedMs < 0 ? passedMs : skippedMs;
}

/**
 * Whether the second run starts over: it belongs to another chain, or is a reset, which has the start time of the run that
 * it replaces.
 */
const isAnew = (before: RunHistory | undefined, run: RunHistory | undefined): boolean =>
  before?.runId !== run?.runId &&
  (before?.firstRunId !== run?.firstRunId || before?.startedAt === run?.startedAt);

function endOf({ terms }: Books, before: BankRequest, request: BankRequest): number {
  const endMs = before.finishedAt === null ? ms(before.at) : ms(before.finishedAt);
  if (endMs <= ms(request.at)) return endMs;
  const stoodStill = terms.standstills.some(({ from, to }) => ms(from) <= endMs && ms(to) >= ms(before.at));
  return stoodStill ? ms(before.at) : endMs;
}

/** The run that sent the request. */
function runAt(
  { journal, histories }: Books,
  originId: string,
  request: BankRequest,
): RunHistory | undefined {
  const claim = journal.request
    .filter((it) => it.origin_id === originId && ms(it.claimed_at) <= ms(request.at) + CUT_MS)
    .toSorted((a, b) => ms(a.claimed_at) - ms(b.claimed_at))
    .at(-1);
  return histories.find((it) => it.runId === claim?.run_id);
}
