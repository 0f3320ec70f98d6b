import { parseBankAccount } from '../domain/bank-account';
import { formatAmount, parseOrderAmount } from '../domain/money';
import { DEFAULT_CONCEPTS } from '../domain/order';
import type { OrderLimits } from '../domain/order';
import { accept, listOf, noted, oneOf, refuse, wholeNumber } from './formats';
import type { Parsed, Parser } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

const DESCRIPTION_MAX_LIMIT = 10_000;

const concept: Parser<string> = (text) =>
  /^[A-Z0-9]{2,8}$/.test(text)
    ? accept(text)
    : refuse('is not a code of 2 to 8 upper-case letters or digits');

const amount: Parser<string> = (text) => {
  const parsed = parseOrderAmount(text);
  return parsed.ok ? accept(formatAmount(parsed.amountMinor)) : refuse('is not an amount');
};

const ACCOUNT_REASONS = {
  alias: 'is an alias',
  'not-22-digits': 'does not have 22 digits',
  'all-zeros': 'is 22 zeros',
  'check-digit': 'has a wrong check digit (see CHECK_DIGITS)',
} as const;

function accounts(text: string, reader: SettingsReader): Parsed<readonly string[]> {
  const checkDigits = reader.read(ORDERS.CHECK_DIGITS) === 'strict';
  const account: Parser<string> = (entry) => {
    const parsed = parseBankAccount(entry, { checkDigits });
    return parsed.ok ? accept(parsed.digits) : refuse(ACCOUNT_REASONS[parsed.problem]);
  };
  return listOf(account)(text);
}

const originId = wholeNumber(1, Number.MAX_SAFE_INTEGER);

export const ORDERS = variables('Orders', {
  CHECK_DIGITS: {
    ...oneOf(['strict', 'warn', 'off']),
    default: 'strict',
    meaning: "check digits of CBU/CVU and CUIT/CUIL (some banks' sandboxes break them)",
  },
  CONCEPTS: {
    parse: listOf(concept),
    default: DEFAULT_CONCEPTS.join(','),
    allowed: 'codes of 2 to 8 upper-case letters or digits, comma-separated',
    meaning: 'codes accepted in body.concept',
  },
  AMOUNT_MAX: {
    parse: amount,
    allowed: 'a decimal over zero with at most two decimals and 13 integer digits, such as 1500000.00',
    meaning: 'largest amount of one order',
  },
  FROM_ACCOUNTS: {
    parse: accounts,
    allowed: 'CBU or CVU numbers of 22 digits, comma-separated',
    meaning: 'accounts that may send; none = any',
    shown: 'never',
  },
  DESCRIPTION_MAX: {
    ...wholeNumber(0, DESCRIPTION_MAX_LIMIT),
    default: '100',
    meaning: 'maximum length of body.description, in characters',
  },
  ORIGIN_ID_MIN: {
    ...noted(originId, ', at most ORIGIN_ID_MAX'),
    default: '1',
    meaning: 'least originId',
  },
  ORIGIN_ID_MAX: {
    ...noted(originId, ', at least ORIGIN_ID_MIN'),
    default: '9007199254740991',
    meaning: 'greatest originId',
  },
});

export function readOrderLimits(reader: SettingsReader): OrderLimits {
  const checkDigits = reader.read(ORDERS.CHECK_DIGITS);
  const originIdMin = reader.read(ORDERS.ORIGIN_ID_MIN);
  const originIdMax = reader.read(ORDERS.ORIGIN_ID_MAX);
  if (originIdMin > originIdMax)
    reader.problem(ORDERS.ORIGIN_ID_MIN, `is greater than ORIGIN_ID_MAX, ${originIdMax}`);
  return {
    checkDigits,
    concepts: reader.read(ORDERS.CONCEPTS),
    amountMax: reader.read(ORDERS.AMOUNT_MAX),
    fromAccounts: reader.read(ORDERS.FROM_ACCOUNTS),
    descriptionMaxLength: reader.read(ORDERS.DESCRIPTION_MAX),
    originIdMin,
    originIdMax,
  };
}
