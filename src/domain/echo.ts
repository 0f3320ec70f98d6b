import { canonicalDecimal } from './money';
import type { Movement, MovementAccount } from './movement';
import type { OrderParty, TransferOrder } from './order';
import type { EchoVerdict } from './transfer/answers';

/**
 * Does the bank's movement speak of the transfer we ordered? Without this check a restored database, whose sequence
 * meets an old originId again, would take another payment's end for its own.
 */
export interface Echo {
  readonly verdict: EchoVerdict;
  /** Dotted paths in the bank's answer: those that differ (mismatch) or are absent (incomplete). Never a value. */
  readonly fields: readonly string[];
}

type Comparison = 'same' | 'different' | 'absent';

/**
 * Compares order and movement (contract 4.4). originId, amount and currency are required; destination, source and
 * their owners are compared where present; one of several owners is enough. A mismatch wins over an absent field.
 */
export function compareEcho(order: TransferOrder, movement: Movement): Echo {
  const required: readonly (readonly [path: string, comparison: Comparison])[] = [
    ['details.originId', compare(sameNumber, movement.originId, String(order.originId))],
    ['details.amount', compare(sameNumber, movement.amount, order.body.amount)],
    ['details.amountCurrency', compare(sameNumber, movement.currency, order.body.currencyId)],
  ];
  const optional = [
    ...compareAccount(
      movement.destination,
      order.to,
      'counterparty.accountRouting.address',
      'counterparty.personId',
    ),
    ...compareAccount(
      movement.source,
      order.from,
      'thisSubAccount.accountRouting.address',
      'thisSubAccount.owners.personId',
    ),
  ];
  const different = pathsOf([...required, ...optional], 'different');
  if (different.length > 0) return { verdict: 'mismatch', fields: different };
  if (!movement.hasDetails) return { verdict: 'incomplete', fields: ['details'] };
  const absent = pathsOf(required, 'absent');
  return absent.length > 0 ? { verdict: 'incomplete', fields: absent } : { verdict: 'match', fields: [] };
}

function compareAccount(account: MovementAccount, party: OrderParty, addressPath: string, ownerPath: string) {
  const { personIds } = account;
  const isOwner = personIds.some((personId) => sameDigits(personId, party.owner.personId));
  return [
    [addressPath, compare(sameDigits, account.address, party.address)],
    [ownerPath, personIds.length === 0 ? 'absent' : isOwner ? 'same' : 'different'],
  ] as const;
}

function compare(
  same: (a: string, b: string) => boolean,
  echoed: string | null,
  ordered: string,
): Comparison {
  if (echoed === null) return 'absent';
  return same(echoed, ordered) ? 'same' : 'different';
}

const pathsOf = (
  comparisons: readonly (readonly [path: string, comparison: Comparison])[],
  wanted: Comparison,
): readonly string[] => comparisons.filter(([, found]) => found === wanted).map(([path]) => path);

/** By value: `"4711"` = 4711, 100.10 = 100.1 = 1.001e2, `"032"` = 32. Text that is no number equals nothing. */
function sameNumber(a: string, b: string): boolean {
  const left = canonicalDecimal(withoutLeadingZeros(a));
  return left !== null && left === canonicalDecimal(withoutLeadingZeros(b));
}

const withoutLeadingZeros = (text: string): string => text.trim().replace(/^(-?)0+(?=[0-9])/, '$1');

/**
 * By the sequence of digits: `20-21834641-4` = `20218346414`. Leading zeros count: they are part of an account
 * number. A text with letters or mask characters is another text, whatever digits it holds.
 */
function sameDigits(a: string, b: string): boolean {
  const left = digitsOf(a);
  return left !== null && left === digitsOf(b);
}

function digitsOf(text: string): string | null {
  const digits = text.replace(/[\s.\-/]/g, '');
  return /^[0-9]+$/.test(digits) ? digits : null;
}
