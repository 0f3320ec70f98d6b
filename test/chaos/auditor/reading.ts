import type { BankMovement, BankRequest, Books, DecisionRow, ResultRow } from './books';

/** A decimal amount in centavos; null: the text is not an amount with at most two decimals. */
export function centavos(text: string): bigint | null {
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
}

export const ms = (iso: string): number => Date.parse(iso);

export const isCreate = ({ service }: BankRequest): boolean => service === 'transfer-request';

/** Whether the answer says explicitly that the bank does not know the movement. */
export const isNotFound = ({ service, status }: BankRequest): boolean =>
  service === 'get-movement' && status === 404;

/** Requests to the bank about an originId, without inquiries about a notified debit that nobody had ordered. */
export const requestsOf = ({ bank, journal }: Books, originId: string): readonly BankRequest[] => {
  const opened = journal.transfer.find((it) => it.origin_id === originId)?.opened_at;
  const ownedMs = opened === undefined ? Infinity : ms(opened) + ASKED_LATER_MS;
  const all = bank.requests.filter((it) => it.originId === originId);
  // All look-ups by originId have the same body.
  const lookup = all.find((it) => !isCreate(it) && it.giroTime !== null)?.bodySha256 ?? null;
  return all.filter((it) => !isAboutADebit(it, ownedMs, lookup));
};

/** Longest time from reading the journal to the arrival of the request, on an overloaded machine. */
const ASKED_LATER_MS = 10_000;

/**
 * Whether the request is an inquiry about a notified debit without a known order. Such an inquiry belongs to no
 * transfer, and has no workflow time. It comes before the order, or asks by the network's id.
 */
const isAboutADebit = (request: BankRequest, ownedMs: number, lookupSha256: string | null): boolean =>
  !isCreate(request) &&
  request.giroTime === null &&
  (ms(request.at) <= ownedMs || (lookupSha256 !== null && request.bodySha256 !== lookupSha256));

export const movementOf = ({ bank }: Books, originId: string): BankMovement | null =>
  bank.movements.find((it) => it.originId === originId) ?? null;

export const resultOf = ({ journal }: Books, originId: string): ResultRow | null =>
  journal.result.find((it) => it.origin_id === originId) ?? null;

/** The flags that are raised at the end. */
export function openFlags({ journal }: Books, originId: string): readonly string[] {
  const own = journal.flags.filter((it) => it.origin_id === originId);
  return own.toSorted((a, b) => Number(a.seq) - Number(b.seq)).at(-1)?.reasons ?? [];
}

/** Decisions that two different operators agreed on. */
export const acceptedDecisions = ({ journal }: Books, originId: string, action: string): DecisionRow[] =>
  journal.decision.filter(
    (it) =>
      it.origin_id === originId &&
      it.outcome === 'accepted' &&
      it.action === action &&
      new Set(it.operators.map((name) => name.toLowerCase())).size >= 2,
  );

/**
 * Whether the request was sent by a process that had stood still between the claim and the send. Such a request arrives
 * right after a standstill: no number was claimed for it since, and an earlier number has brought no request yet. Giro
 * cannot know that the request will still leave (docs/guarantees.md, "What cannot be closed").
 */
export const isFromAStandstill = (books: Books, request: BankRequest): boolean =>
  books.terms.standstills.some((standstill) => {
    const { originId } = request;
    const wokenMs = ms(standstill.to) - NOTED_LATE_MS;
    const lastMs = ms(standstill.to) + WOKEN_MS;
    if (originId === null || ms(request.at) < wokenMs || ms(request.at) > lastMs) return false;
    const isAlike = (it: BankRequest): boolean => isCreate(it) === isCreate(request);
    const arrivals = requestsOf(books, originId).filter(isAlike);
    const claimsMs = claimsOf(books, originId, isCreate(request));

    const fromMs = beginOf(books, standstill) - SENT_WITHIN_MS;
    const held = claimsMs.filter((claimMs, i) => {
      const untilMs = Math.min(claimsMs[i + 1] ?? Infinity, wokenMs);
      const hasArrived = arrivals.some(({ at }) => ms(at) >= claimMs - CUT_MS && ms(at) < untilMs);
      return claimMs >= fromMs && claimMs < wokenMs && !hasArrived;
    });
    const fresh = claimsMs.filter((claimMs) => claimMs >= wokenMs);
    const late = arrivals.filter(({ at }) => {
      if (ms(at) < wokenMs || ms(at) > lastMs) return false;
      const own = fresh.findIndex((claimMs) => claimMs <= ms(at) + CUT_MS);
      if (own >= 0) fresh.splice(own, 1);
      return own < 0;
    });
    return late.slice(0, held.length).includes(request);
  });

/**
 * Whether the worker lost the answer of this look-up: the last number that was claimed before the look-up arrived has no
 * recorded answer, and a process or a server failed at that time. Only for an answer with news, which is always recorded.
 */
export const isAnswerLost = (
  { journal, terms }: Books,
  { originId, at, finishedAt }: BankRequest,
): boolean => {
  const number = journal.request
    .filter((it) => it.origin_id === originId && ms(it.claimed_at) <= ms(at) + CUT_MS)
    .reduce((last, it) => Math.max(last, Number(it.number)), 0);
  const recordedBy = ms(finishedAt ?? at) + RECORDED_WITHIN_MS;
  const isStruck = [...terms.losses, ...terms.standstills].some(
    ({ from, to }) => ms(from) <= recordedBy && ms(to) >= ms(at),
  );
  return isStruck && !journal.answer.some((it) => it.origin_id === originId && Number(it.number) === number);
};

/** When the numbers of its creates, or of its look-ups and inquiries, were claimed; ms since 1970, in order. */
export const claimsOf = ({ journal }: Books, originId: string, areCreates: boolean): readonly number[] =>
  [
    ...journal.request.filter(({ kind }) => (kind === 'create') === areCreates),
    ...(areCreates ? [] : journal.inquiry),
  ]
    .filter(({ origin_id }) => origin_id === originId)
    .map(({ claimed_at }) => ms(claimed_at))
    .sort((a, b) => a - b);

/** Two standstills count as one if the second begins before the delayed requests of the first can have left. */
function beginOf({ terms }: Books, { from }: { readonly from: string }): number {
  let beginMs = ms(from);
  for (const it of terms.standstills.toSorted((a, b) => ms(b.to) - ms(a.to)))
    if (ms(it.to) <= beginMs && ms(it.to) >= beginMs - SENT_WITHIN_MS) beginMs = ms(it.from);
  return beginMs;
}

/** The end of a standstill is noted after the process was continued. */
const NOTED_LATE_MS = 250;
/** Longest time from the end of a standstill until the delayed requests have left, on a busy machine. */
const WOKEN_MS = 2_000;
/** Longest time from a claim until its request arrives, on a busy machine. */
const SENT_WITHIN_MS = 5_000;
/** Longest time from an answer to its record, on a busy machine. */
const RECORDED_WITHIN_MS = 5_000;
/** The bank's timestamps are truncated to milliseconds; the journal's are not. */
export const CUT_MS = 1;

/** Every originId that any book names. */
export function originIdsOf({ orders, bank, journal }: Books): readonly string[] {
  const named = [
    ...orders.map(({ originId }) => originId),
    ...bank.movements.map(({ originId }) => originId),
    ...bank.requests.flatMap(({ originId }) => originId ?? []),
    ...journal.transfer.map(({ origin_id }) => origin_id),
  ];
  return [...new Set(named)];
}
