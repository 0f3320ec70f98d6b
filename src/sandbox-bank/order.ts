import { z } from 'zod';
import { field, literalText } from './json';

/** A create body that the bank accepts. Numbers are kept as their literal text. */
export interface BankOrder {
  readonly originId: string;
  readonly from: Party;
  readonly to: Party;
  readonly body: {
    readonly currencyId: string;
    /** Two decimals, e.g. `"1500.25"`. */
    readonly amount: string;
    readonly description: string;
    readonly concept: string;
  };
}

export interface Party {
  readonly addressType: string;
  readonly address: string;
  readonly owner: { readonly personIdType: string; readonly personId: string };
}

const INTEGER = /^(0|[1-9][0-9]{0,18})$/;
const AMOUNT = /^(0|[1-9][0-9]{0,12})\.[0-9]{2}$/;

/** The text of a JSON number whose literal has this form. */
const numberLiteral = (form: RegExp, problem: string) =>
  z.unknown().transform((value, context) => {
    const text = literalText(value);
    if (text !== null && form.test(text)) return text;
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  });

export const originIdLiteral = numberLiteral(INTEGER, 'must be a JSON integer of at most 19 digits');

const digits = (length: number) =>
  z.string().regex(new RegExp(`^[0-9]{${length}}$`), `must be ${length} digits`);

const party = z.strictObject({
  addressType: z.literal('CBU_CVU'),
  address: digits(22),
  owner: z.strictObject({ personIdType: z.literal('CUI'), personId: digits(11) }),
});

/** Strict, which exposes a client that deviates from the reference: no field may be missing or added. */
export const orderSchema = z.strictObject({
  originId: originIdLiteral,
  from: party,
  to: party,
  body: z.strictObject({
    currencyId: z.literal('032'),
    amount: numberLiteral(AMOUNT, 'must be a JSON number with two decimals').refine(
      (text) => !/^[0.]*$/.test(text),
      'must be above zero',
    ),
    description: z.string().max(255),
    concept: z.string().regex(/^[A-Z0-9]{1,10}$/, 'must be a concept code'),
  }),
});

/** The originId that a body names, before anything else in it is checked; null: it is not an integer literal. */
export function originIdIn(body: unknown): string | null {
  const text = literalText(field(body, 'originId'));
  return text !== null && INTEGER.test(text) ? text : null;
}
