import { canonicalNumber } from './money';
import type { Movement, MovementAccount } from './movement';
import type { OrderParty, TransferOrder } from './order';

/** Without these three a movement cannot be tied to an order. */
const REQUIRED_FIELDS = ['originId', 'amount', 'currency'] as const;

/** Accounts, and the tax ids of their holders. */
export const PARTY_FIELDS = [
  'destination.address',
  'destination.personId',
  'source.address',
  'source.personId',
] as const;
export type PartyField = (typeof PARTY_FIELDS)[number];

/**
 * The fields in which an echo can differ or be incomplete, by Giro's names, not the bank's. `details`: the answer lacks
 * the whole part that holds the three required fields. The names are printed, and stored in the journal.
 */
export const ECHO_FIELDS = [...REQUIRED_FIELDS, 'details', ...PARTY_FIELDS] as const;
export type EchoField = (typeof ECHO_FIELDS)[number];

export type EchoVerdict = 'match' | 'incomplete' | 'mismatch';

/**
 * Whether the bank's movement belongs to the order. Without this check, Giro could take the end of another payment for
 * the end of this order: after a restore, a caller's sequence may hand out an old originId again.
 */
export interface Echo {
  readonly verdict: EchoVerdict;
  /** The fields that differ (mismatch) or are absent (incomplete). Never a value. */
  readonly fields: readonly EchoField[];
  /** Accounts and tax ids that differ: personal data, so they enter no history, log or error. */
  readonly differing: readonly DifferingValue[];
}

/** An account number or a tax id of the order, and what the bank reports in its place. */
export interface DifferingValue {
  readonly field: PartyField;
  readonly ordered: string;
  /** As reported; several if the bank names several owners; at most 20. */
  readonly reported: readonly string[];
}

/** Maximum number of owners that are kept from an answer; the answer's list may be longer. */
const REPORTED_MAX = 20;

type Comparison = 'same' | 'different' | 'absent';

interface Compared {
  readonly field: EchoField;
  readonly found: Comparison;
}

/**
 * Compares order and movement (contract 4.4). originId, amount and currency are required. Destination, source and their
 * owners are compared if present; one of several owners is enough. A mismatch wins over an absent field.
 */
export function compareEcho(order: TransferOrder, movement: Movement): Echo {
  const required = [
    number('originId', movement.originId, String(order.originId)),
    number('amount', movement.amount, order.body.amount),
    number('currency', movement.currency, order.body.currencyId),
  ];
  const parties = [
    ...compareParty('destination', movement.destination, order.to),
    ...compareParty('source', movement.source, order.from),
  ];
  const different = fieldsThatAre('different', [...required, ...parties]);
  if (different.length > 0) {
    const differing = parties.filter(({ found }) => found === 'different').map(({ values }) => values);
    return { verdict: 'mismatch', fields: different, differing };
  }
  if (!movement.hasDetails) return { verdict: 'incomplete', fields: ['details'], differing: [] };
  const absent = fieldsThatAre('absent', required);
  return { verdict: absent.length > 0 ? 'incomplete' : 'match', fields: absent, differing: [] };
}

function number(field: (typeof REQUIRED_FIELDS)[number], reported: string | null, ordered: string): Compared {
  const reportedOrNone = reported === null ? [] : [reported];
  return { field, found: compare(sameNumber, reportedOrNone, ordered) };
}

function compareParty(
  side: 'destination' | 'source',
  { address, personIds }: MovementAccount,
  ordered: OrderParty,
): (Compared & { readonly values: DifferingValue })[] {
  return [
    digits(`${side}.address`, address === null ? [] : [address], ordered.address),
    digits(`${side}.personId`, personIds, ordered.owner.personId),
  ];
}

const digits = (field: PartyField, reported: readonly string[], ordered: string) => ({
  field,
  found: compare(sameDigits, reported, ordered),
  values: { field, ordered, reported: reported.slice(0, REPORTED_MAX) },
});

function compare(
  same: (a: string, b: string) => boolean,
  reported: readonly string[],
  ordered: string,
): Comparison {
  if (reported.length === 0) return 'absent';
  return reported.some((one) => same(one, ordered)) ? 'same' : 'different';
}

const fieldsThatAre = (wanted: Comparison, compared: readonly Compared[]): readonly EchoField[] =>
  compared.filter(({ found }) => found === wanted).map(({ field }) => field);

/** By value: `"4711"` = 4711, 100.10 = 100.1 = 1.001e2, `"032"` = 32. Text that is not a number equals nothing. */
function sameNumber(a: string, b: string): boolean {
  const left = canonicalNumber(a);
  return left !== null && left === canonicalNumber(b);
}

/**
 * By the sequence of digits: `20-21834641-4` = `20218346414`. Leading zeros count: they are part of an account number.
 * Text with letters or mask characters equals no digits.
 */
function sameDigits(a: string, b: string): boolean {
  const left = digitsOf(a);
  return left !== null && left === digitsOf(b);
}

function digitsOf(text: string): string | null {
  const digits = text.replace(/[\s.\-/]/g, '');
  return /^[0-9]+$/.test(digits) ? digits : null;
}
