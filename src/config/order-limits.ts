import { parseBankAccount } from '../domain/bank-account';
import { formatAmount, parseOrderAmount } from '../domain/money';
import type { OrderLimits } from '../domain/order';
import { accept, listOf, oneOf, refuse, wholeNumber } from './parsers';
import type { Parser } from './parsers';
import type { SettingsReader } from './reader';

const DESCRIPTION_MAX_LIMIT = 10_000;

export function readOrderLimits(reader: SettingsReader): OrderLimits {
  const checkDigits = reader.withDefault('CHECK_DIGITS', oneOf(['strict', 'warn', 'off']));
  const originId = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  const originIdMin = reader.withDefault('ORIGIN_ID_MIN', originId);
  const originIdMax = reader.withDefault('ORIGIN_ID_MAX', originId);
  if (originIdMin > originIdMax)
    reader.problem('ORIGIN_ID_MIN', `is greater than ORIGIN_ID_MAX, ${originIdMax}`);
  return {
    checkDigits,
    concepts: reader.withDefault('CONCEPTS', listOf(concept)),
    amountMax: reader.optional('AMOUNT_MAX', amount),
    fromAccounts: reader.optional('FROM_ACCOUNTS', listOf(account(checkDigits === 'strict'))),
    descriptionMaxLength: reader.withDefault('DESCRIPTION_MAX', wholeNumber(0, DESCRIPTION_MAX_LIMIT)),
    originIdMin,
    originIdMax,
  };
}

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
  'not-22-digits': 'has not 22 digits',
  'all-zeros': 'is 22 zeros',
  'check-digit': 'has a wrong check digit (see CHECK_DIGITS)',
} as const;

const account =
  (checkDigits: boolean): Parser<string> =>
  (text) => {
    const parsed = parseBankAccount(text, { checkDigits });
    return parsed.ok ? accept(parsed.digits) : refuse(ACCOUNT_REASONS[parsed.problem]);
  };
