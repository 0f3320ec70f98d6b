import { hasValidCheckDigits } from '../src/domain/bank-account';
import type { OrderParty, TransferOrder } from '../src/domain/order';
import { parseTaxId } from '../src/domain/tax-id';

/**
 * A valid order for demo, bench and tests. Its accounts and owners follow from its originId: orders that shared them
 * would hide that one order was sent with a party of another.
 */
export const madeUpOrder = (originId: number, description: string, amount = '1500.25'): TransferOrder => ({
  originId,
  from: party(originId, { block: CVU_BLOCK, prefixes: ['30', '33'] }),
  to: party(originId, { block: CBU_BLOCK, prefixes: ['20', '23'] }),
  body: { currencyId: '032', amount, description, concept: 'FAC' },
});

/** Provider or bank and branch, with their check digit. */
const CVU_BLOCK = '00090016';
const CBU_BLOCK = '99900018';

interface PartyKind {
  readonly block: string;
  /** Prefixes of a tax id. The second is used where no check digit fits the first, as the tax authority does. */
  readonly prefixes: readonly [string, string];
}

const party = (originId: number, { block, prefixes }: PartyKind): OrderParty => ({
  addressType: 'CBU_CVU',
  address: closed([`${block}${lastDigits(originId, 13)}`], hasValidCheckDigits),
  owner: {
    personIdType: 'CUI',
    personId: closed(
      prefixes.map((prefix) => `${prefix}${lastDigits(originId, 8)}`),
      (taxId) => parseTaxId(taxId, { checkDigits: true }).ok,
    ),
  },
});

/** Differs between orders whose originIds are less than 10^`length` apart. */
const lastDigits = (originId: number, length: number): string =>
  String(originId % 10 ** length).padStart(length, '0');

const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** The first of these numbers that a check digit fits, with that digit. */
function closed(unclosed: readonly string[], isValid: (digits: string) => boolean): string {
  for (const digits of unclosed) {
    const digit = DIGITS.find((it) => isValid(`${digits}${it}`));
    if (digit !== undefined) return `${digits}${digit}`;
  }
  throw new Error('no check digit fits');
}
