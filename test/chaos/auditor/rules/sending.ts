import type { BankRequest, Books, Rule, Violation } from '../books';
import {
  acceptedDecisions,
  claimsOf,
  CUT_MS,
  isAnswerLost,
  isCreate,
  isFromAStandstill,
  isNotFound,
  ms,
  originIdsOf,
  requestsOf,
} from '../reading';

/** Readable not-founds that must come between two creates. */
const NOT_FOUNDS_BETWEEN = 12;
const CREATES_MAX = 3;

/** No order moves money twice. */
export const movedTwice: Rule = ({ bank }) => {
  const seen = new Set<string>();
  return bank.movements.flatMap(({ originId, id }) => {
    if (!seen.has(originId)) {
      seen.add(originId);
      return [];
    }
    return [{ rule: 'moved-twice', originId, sentence: `the bank has a second movement, ${id}` }];
  });
};

/**
 * A create is repeated only after twelve readable not-founds, or by a decision of two operators. It is repeated at most
 * twice, always with the same bytes, and never after an answer has reported the movement.
 */
export const sentAgain: Rule = (books) =>
  originIdsOf(books).flatMap((originId) =>
    sentencesOf(books, originId).map((sentence) => ({ rule: 'sent-again', originId, sentence })),
  );

function sentencesOf(books: Books, originId: string): string[] {
  const requests = requestsOf(books, originId);
  const creates = requests.filter(isCreate);
  const sentences: string[] = [];
  const bodies = new Set(creates.flatMap(({ bodySha256 }) => bodySha256 ?? []));
  if (bodies.size > 1) sentences.push(`its creates are not byte for byte the same (${bodies.size} bodies)`);
  const resends = acceptedDecisions(books, originId, 'resend');
  if (creates.length > CREATES_MAX + resends.length)
    sentences.push(`${creates.length} creates reached the bank`);

  const claimsMs = claimsOf(books, originId, true);
  let notFounds = NOT_FOUNDS_BETWEEN;
  let shown: BankRequest | null = null;
  let before: BankRequest | null = null;
  for (const request of requests) {
    if (isNotFound(request)) notFounds += 1;
    if (request.movementStatus !== null && !isCreate(request) && !isAnswerLost(books, request))
      shown ??= request;
    // Giro does not know of a create that left after a standstill, and continues as if that create had never left.
    if (!isCreate(request) || isFromAStandstill(books, request)) continue;
    const isExcused = resends.some(
      ({ recorded_at }) =>
        ms(recorded_at) >= ms(before?.at ?? request.at) && ms(recorded_at) <= ms(request.at),
    );
    if (!isExcused && shown !== null)
      sentences.push(`the create at ${request.at} came after the movement was shown at ${shown.at}`);
    const claimedMs = Math.max(
      ...claimsMs.filter((claimMs) => claimMs <= ms(request.at) + CUT_MS),
      -Infinity,
    );
    const answered = books.journal.answer.find(
      (it) =>
        it.origin_id === originId &&
        it.kind === 'answered' &&
        it.echo !== 'mismatch' &&
        ms(it.recorded_at) < claimedMs,
    );
    if (!isExcused && answered !== undefined)
      sentences.push(
        `the create at ${request.at} came after a create was answered (request ${answered.number})`,
      );
    if (!isExcused && notFounds < NOT_FOUNDS_BETWEEN)
      sentences.push(`the create at ${request.at} came after ${notFounds} not-founds`);
    notFounds = 0;
    before = request;
  }
  return sentences;
}

/** Before a request reaches the bank, the journal has the order, and the request's number is claimed. */
export const unwritten: Rule = (books) =>
  originIdsOf(books).flatMap((originId) => {
    const requests = requestsOf(books, originId);
    const violation = (sentence: string): Violation => ({ rule: 'unwritten', originId, sentence });
    const [first] = requests;
    if (first === undefined) return [];
    const opened = books.journal.transfer.find((it) => it.origin_id === originId);
    if (opened === undefined) return [];
    const found: Violation[] = [];
    if (ms(opened.opened_at) > ms(first.at) + CUT_MS)
      found.push(violation(`asked of the bank at ${first.at}, in the journal only at ${opened.opened_at}`));
    const claims = books.journal.request.filter((it) => it.origin_id === originId);
    for (const kind of ['create', 'lookup'] as const) {
      const arrivals = requests.filter((it) => isCreate(it) === (kind === 'create'));
      const inquiries = kind === 'lookup' ? books.journal.inquiry : [];
      const claimed = [
        ...claims.filter((it) => it.kind === kind),
        ...inquiries.filter((it) => it.origin_id === originId),
      ].map((it) => ms(it.claimed_at));
      arrivals.forEach(({ at }, i) => {
        const before = claimed.filter((it) => it <= ms(at) + CUT_MS).length;
        if (before < i + 1)
          found.push(violation(`${kind} ${i + 1} arrived at ${at} with only ${before} numbers claimed`));
      });
    }
    const numbers = claims.map(({ number }) => Number(number)).sort((a, b) => a - b);
    if (numbers.some((number, i) => number !== i + 1))
      found.push(violation(`its request numbers are ${numbers.join(', ')}`));
    return found;
  });
