import type { BankMovement, BankRequest, Books, DecisionRow, ResultRow } from './books';

/** A decimal amount in centavos; null: it is no amount of at most two decimals. */
export function centavos(text: string): bigint | null {
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
}

export const ms = (iso: string): number => Date.parse(iso);

export const isCreate = ({ service }: BankRequest): boolean => service === 'transfer-request';

/** An answer that says in so many words that the bank does not know the movement. */
export const isNotFound = ({ service, status }: BankRequest): boolean =>
  service === 'get-movement' && status === 404;

export const requestsOf = ({ bank }: Books, originId: string): readonly BankRequest[] =>
  bank.requests.filter((it) => it.originId === originId);

export const movementOf = ({ bank }: Books, originId: string): BankMovement | null =>
  bank.movements.find((it) => it.originId === originId) ?? null;

export const resultOf = ({ journal }: Books, originId: string): ResultRow | null =>
  journal.result.find((it) => it.origin_id === originId) ?? null;

/** Decisions that two different operators agreed on. */
export const acceptedDecisions = ({ journal }: Books, originId: string, action: string): DecisionRow[] =>
  journal.decision.filter(
    (it) =>
      it.origin_id === originId &&
      it.outcome === 'accepted' &&
      it.action === action &&
      new Set(it.operators.map((name) => name.toLowerCase())).size >= 2,
  );

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
