import { z } from 'zod';
import { PESO } from '../../domain/money';
import { isDatePattern } from './statement-fields';

/** A column by its name in the header, or by its number from 1 in a file without a header. */
const column = z.union([z.string().min(1).max(200), z.int().min(1).max(500)]);
const oneCharacter = z.string().length(1);

const columns = z.strictObject({
  originId: column.optional(),
  movementId: column.optional(),
  networkId: column.optional(),
  bookedAt: column,
  /** One column with a sign or a direction beside it … */
  amount: column.optional(),
  direction: column.optional(),
  /** … or one for each direction. */
  debit: column.optional(),
  credit: column.optional(),
  currency: column.optional(),
  /** Our own account that was debited or credited, for files of several accounts. */
  account: column.optional(),
  counterpartyAccount: column.optional(),
});

const mapping = z
  .strictObject({
    encoding: z.enum(['utf-8', 'latin1']).default('utf-8'),
    delimiter: oneCharacter.default(','),
    /** Null: quotes are ordinary characters. */
    quote: oneCharacter.nullable().default('"'),
    /** Lines before the header, or before the first booking in a file without a header. */
    skipLines: z.int().min(0).max(1_000).default(0),
    header: z.boolean().default(true),
    columns,
    /** All our accounts whose bookings the file holds; if absent, see `withAccounts`. */
    accounts: z
      .array(z.string().regex(/^[0-9]{22}$/, 'must be a CBU or CVU of 22 digits'))
      .min(1)
      .max(1_000)
      .optional(),
    /** Text before the digits of our id in its cell; a cell without this text has no id of ours. */
    originIdPrefix: z.string().max(40).default(''),
    decimal: z.enum(['.', ',']).default('.'),
    /** Separator between groups of three; empty: none. */
    thousands: z.enum(['', '.', ',', ' ', "'"]).default(''),
    /** For the column `amount` without a column `direction`: the sign of money going out. */
    debitSign: z.enum(['-', '+']).default('-'),
    /** Words of the column `direction`, compared without case and outer spaces. */
    directions: z.record(z.string(), z.enum(['debit', 'credit'])).default({}),
    date: z
      .string()
      .refine(
        isDatePattern,
        'must consist of yyyy, MM and dd, optionally HH, mm and ss, each once, without other letters or digits',
      ),
    utcOffset: z
      .string()
      .regex(/^[+-](0[0-9]|1[0-4]):[0-5][0-9]$/, 'must be ±hh:mm')
      .default('-03:00'),
    /** For files without a column `currency`. */
    currency: z
      .string()
      .regex(/^[0-9]{3}$/, 'must be three digits (ISO 4217)')
      .default(PESO),
    /** Words of the column `currency`; three digits are a currency code already. */
    currencies: z.record(z.string(), z.string().regex(/^[0-9]{3}$/)).default({}),
    /** Lines that are not bookings, such as opening balances. */
    ignore: z
      .array(z.strictObject({ column, equals: z.string().max(200) }))
      .max(50)
      .default([]),
  })
  .superRefine(({ columns: named, directions, header, decimal, thousands }, context) => {
    if (thousands === decimal) {
      context.addIssue({ code: 'custom', path: ['thousands'], message: 'must differ from "decimal"' });
    }
    const problem = (message: string): void => {
      context.addIssue({ code: 'custom', path: ['columns'], message });
    };
    const isSplit = named.debit !== undefined && named.credit !== undefined;
    const isSingle = named.amount !== undefined && named.debit === undefined && named.credit === undefined;
    if (!isSingle && !(isSplit && named.amount === undefined)) {
      problem('must name either amount, or debit and credit');
    }
    if (named.direction !== undefined && Object.keys(directions).length === 0) {
      problem('names direction, but "directions" is empty');
    }
    if (!header && Object.values(named).some((one) => typeof one === 'string')) {
      problem('must be column numbers, because "header" is false');
    }
  });

/** How a bank's CSV is to be read. */
export type StatementMapping = z.infer<typeof mapping>;

export type ReadMapping =
  | { readonly ok: true; readonly mapping: StatementMapping }
  /** `path: what is wrong`, one for each problem. */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * If a mapping names no accounts and the company sends from one account only, the file is of that account. Otherwise
 * the column `account` names the account; without that column it is unknown, and missing lines prove nothing.
 */
export function withAccounts(
  read: StatementMapping,
  fromAccounts: readonly string[] | null,
): StatementMapping {
  const isNamed = read.accounts !== undefined || read.columns.account !== undefined;
  return isNamed || fromAccounts?.length !== 1 ? read : { ...read, accounts: [...fromAccounts] };
}

/** The mapping file: JSON; unknown fields are refused. */
export function readMapping(text: string): ReadMapping {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { ok: false, problems: ['the mapping is not JSON'] };
  }
  const read = mapping.safeParse(json);
  if (read.success) return { ok: true, mapping: read.data };
  return {
    ok: false,
    problems: read.error.issues.map(({ path, message }) => `${path.join('.') || 'mapping'}: ${message}`),
  };
}
