import { parseBankAccount } from './bank-account';
import type { BankAccountProblem } from './bank-account';
import { AMOUNT_INTEGER_DIGITS_MAX, PESO, formatAmount, parseOrderAmount } from './money';
import type { AmountProblem } from './money';
import type { OrderBody, OrderLimits, OrderParty, TransferOrder } from './order';
import { PROOF_RULE, proofKeyId } from './order-proof';
import { parseTaxId } from './tax-id';

/** One wrong field: its dotted path and the rule that the value breaks. Never the value, which may be personal. */
export interface OrderIssue {
  readonly path: string;
  readonly rule: string;
}

export type ValidatedOrder =
  | {
      readonly ok: true;
      readonly order: TransferOrder;
      /** Valid in form, not verified; null: the order has no proof. */
      readonly proof: string | null;
      readonly warnings: readonly OrderIssue[];
    }
  | {
      readonly ok: false;
      /** Null: unreadable or out of bounds. */
      readonly originId: number | null;
      readonly issues: readonly OrderIssue[];
    };

const AMOUNT_RULES: Record<AmountProblem, string> = {
  'not-a-decimal': 'must be a decimal string without exponent, such as "1500.25", or a JSON number',
  'too-many-significant-digits':
    'as a JSON number may have at most 15 significant digits; write it as a string',
  'too-many-decimals': 'may have at most two decimals',
  'not-positive': 'must be greater than zero',
  'too-large': `may have at most ${AMOUNT_INTEGER_DIGITS_MAX} integer digits`,
};

const ACCOUNT_RULES: Record<BankAccountProblem, string> = {
  alias: 'is an alias, which this bank does not accept; give the CBU or CVU of 22 digits',
  'not-22-digits': 'must be a CBU or CVU of 22 digits',
  'all-zeros': 'must be the number of an account, not 22 zeros',
  'check-digit': 'has a wrong check digit (CBU/CVU)',
};

const CONTROL_CHARACTERS = /\p{Cc}/u;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/**
 * Reads an order as a caller wrote it: every wrong, missing or unknown field is named at once, by path, without its
 * value. On success the order is normalised (digits only, two decimals).
 */
export function validateOrder(input: unknown, limits: OrderLimits): ValidatedOrder {
  const report = new Report();
  const root = report.object(input, '', ['originId', 'from', 'to', 'body', 'proof']);
  if (root === null) return { ok: false, originId: null, issues: report.issues };

  const originId = readOriginId(root['originId'], limits, report);
  const from = readParty(root['from'], 'from', limits, report);
  if (from?.address != null && limits.fromAccounts !== null && !limits.fromAccounts.includes(from.address)) {
    report.issue('from.address', 'is not one of the accounts in FROM_ACCOUNTS');
  }
  const to = readParty(root['to'], 'to', limits, report);
  if (from?.address != null && to?.address != null && from.address === to.address) {
    report.issue('to.address', 'must differ from from.address');
  }
  const body = readBody(root['body'], limits, report);
  const proof = readProof(root['proof'], report);
  if (
    report.issues.length > 0 ||
    originId === null ||
    !isComplete(from) ||
    !isComplete(to) ||
    body === null
  ) {
    return { ok: false, originId, issues: report.issues };
  }
  const order = { originId, from: party(from), to: party(to), body };
  return { ok: true, order, proof, warnings: report.warnings };
}

/** The sentence of an `InvalidTransferOrder`: all issues, in the order of the fields. */
export function describeIssues(issues: readonly OrderIssue[]): string {
  return issues.map(({ path, rule }) => (path === '' ? `the order ${rule}` : `${path} ${rule}`)).join('; ');
}

function readOriginId(value: unknown, limits: OrderLimits, report: Report): number | null {
  const path = 'originId';
  if (!report.present(value, path)) return null;
  if (typeof value !== 'number' || !Number.isInteger(value))
    return report.issue(path, 'must be a JSON integer');
  if (value < limits.originIdMin)
    return report.issue(path, `must be at least ${limits.originIdMin} (ORIGIN_ID_MIN)`);
  if (!Number.isSafeInteger(value)) return report.issue(path, 'must be at most 9007199254740991');
  if (value > limits.originIdMax)
    return report.issue(path, `must be at most ${limits.originIdMax} (ORIGIN_ID_MAX)`);
  return value;
}

interface PartyDraft {
  readonly address: string | null;
  readonly personId: string | null;
}

function readParty(value: unknown, path: string, limits: OrderLimits, report: Report): PartyDraft | null {
  const fields = report.object(value, path, ['addressType', 'address', 'owner']);
  if (fields === null) return null;
  report.constant(fields['addressType'], `${path}.addressType`, 'CBU_CVU');
  const address = readAddress(fields['address'], `${path}.address`, limits, report);
  const owner = report.object(fields['owner'], `${path}.owner`, ['personIdType', 'personId']);
  if (owner === null) return { address, personId: null };
  report.constant(owner['personIdType'], `${path}.owner.personIdType`, 'CUI');
  return { address, personId: readPersonId(owner['personId'], `${path}.owner.personId`, limits, report) };
}

const isComplete = (draft: PartyDraft | null): draft is { address: string; personId: string } =>
  draft !== null && draft.address !== null && draft.personId !== null;

const party = ({ address, personId }: { address: string; personId: string }): OrderParty => ({
  addressType: 'CBU_CVU',
  address,
  owner: { personIdType: 'CUI', personId },
});

function readAddress(value: unknown, path: string, limits: OrderLimits, report: Report): string | null {
  const text = report.string(value, path);
  if (text === null) return null;
  const parsed = parseBankAccount(text, { checkDigits: limits.checkDigits === 'strict' });
  if (!parsed.ok) return report.issue(path, ACCOUNT_RULES[parsed.problem]);
  if (limits.checkDigits === 'warn' && !parseBankAccount(text, { checkDigits: true }).ok) {
    report.warn(path, ACCOUNT_RULES['check-digit']);
  }
  return parsed.digits;
}

function readPersonId(value: unknown, path: string, limits: OrderLimits, report: Report): string | null {
  const text = report.string(value, path);
  if (text === null) return null;
  const parsed = parseTaxId(text, { checkDigits: limits.checkDigits === 'strict' });
  if (!parsed.ok) {
    return report.issue(
      path,
      parsed.problem === 'check-digit'
        ? 'has a wrong check digit (CUIT/CUIL)'
        : 'must be a CUIT or CUIL of 11 digits',
    );
  }
  if (limits.checkDigits === 'warn' && !parseTaxId(text, { checkDigits: true }).ok) {
    report.warn(path, 'has a wrong check digit (CUIT/CUIL)');
  }
  if (parsed.warning !== null && limits.checkDigits !== 'off') {
    report.warn(path, 'begins with a prefix that is not known for a CUIT or CUIL');
  }
  return parsed.digits;
}

function readBody(value: unknown, limits: OrderLimits, report: Report): OrderBody | null {
  const fields = report.object(value, 'body', ['currencyId', 'amount', 'description', 'concept']);
  if (fields === null) return null;
  const currency = fields['currencyId'];
  if (typeof currency === 'number')
    report.issue('body.currencyId', `must be the text "${PESO}", not a number`);
  else report.constant(currency, 'body.currencyId', PESO);
  const amount = readAmount(fields['amount'], limits, report);
  const description = readDescription(fields['description'], limits, report);
  const concept = readConcept(fields['concept'], limits, report);
  if (amount === null || description === null || concept === null) return null;
  return { currencyId: PESO, amount, description, concept };
}

function readAmount(value: unknown, limits: OrderLimits, report: Report): string | null {
  const path = 'body.amount';
  if (!report.present(value, path)) return null;
  const parsed = parseOrderAmount(value);
  if (!parsed.ok) return report.issue(path, AMOUNT_RULES[parsed.problem]);
  if (limits.amountMax !== null) {
    const max = parseOrderAmount(limits.amountMax);
    if (!max.ok) throw new Error('the amount limit of the configuration is not an amount');
    if (parsed.amountMinor > max.amountMinor) {
      return report.issue(path, `must be at most ${formatAmount(max.amountMinor)} (AMOUNT_MAX)`);
    }
  }
  return formatAmount(parsed.amountMinor);
}

function readDescription(value: unknown, limits: OrderLimits, report: Report): string | null {
  const path = 'body.description';
  if (value === undefined) return '';
  if (typeof value !== 'string') return report.issue(path, 'must be a string');
  const text = value;
  if (Array.from(text).length > limits.descriptionMaxLength) {
    return report.issue(path, `may have at most ${limits.descriptionMaxLength} characters (DESCRIPTION_MAX)`);
  }
  if (CONTROL_CHARACTERS.test(text))
    return report.issue(path, 'may not contain control characters or line breaks');
  // Half of a character pair has no UTF-8 form: the bytes sent would not be the text ordered.
  if (LONE_SURROGATE.test(text)) return report.issue(path, 'is not well-formed Unicode text');
  return text;
}

function readConcept(value: unknown, limits: OrderLimits, report: Report): string | null {
  const path = 'body.concept';
  const text = report.string(value, path);
  if (text === null) return null;
  if (limits.concepts === null || limits.concepts.includes(text)) return text;
  return report.issue(path, `must be one of ${limits.concepts.join(', ')} (CONCEPTS)`);
}

function readProof(value: unknown, report: Report): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' && proofKeyId(value) !== null ? value : report.issue('proof', PROOF_RULE);
}

/**
 * Names of unknown fields are printed when they look like names: one word, at most three digits. Anything else could be
 * a misplaced value.
 */
const FIELD_NAME = /^(?!(?:[^0-9]*[0-9]){4})[\p{L}_][\p{L}0-9_-]{0,39}$/u;

/** The name of a field as messages show it: a name may be a person's, or hold an account number. */
export const shownFieldName = (name: string): string =>
  FIELD_NAME.test(name) ? name : '(a field whose name is not shown)';

/** Maximum number of unknown fields that are named in one object, so that the failure stays small. */
const UNKNOWN_FIELDS_MAX = 20;

/** Collects what is wrong; each reader returns null after it has reported. */
class Report {
  readonly issues: OrderIssue[] = [];
  readonly warnings: OrderIssue[] = [];

  issue(path: string, rule: string): null {
    this.issues.push({ path, rule });
    return null;
  }

  warn(path: string, rule: string): void {
    this.warnings.push({ path, rule });
  }

  present(value: unknown, path: string): boolean {
    if (value !== undefined && value !== null) return true;
    this.issue(path, 'is required');
    return false;
  }

  string(value: unknown, path: string): string | null {
    if (!this.present(value, path)) return null;
    return typeof value === 'string' ? value : this.issue(path, 'must be a string');
  }

  constant(value: unknown, path: string, allowed: string): void {
    if (this.present(value, path) && value !== allowed) this.issue(path, `must be "${allowed}"`);
  }

  object(value: unknown, path: string, known: readonly string[]): Record<string, unknown> | null {
    if (path !== '' && !this.present(value, path)) return null;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.issue(path, 'must be a JSON object');
    }
    const unknown = Object.keys(value).filter((key) => !known.includes(key));
    const at = (name: string) => (path === '' ? name : `${path}.${name}`);
    for (const key of unknown.slice(0, UNKNOWN_FIELDS_MAX)) {
      const name = shownFieldName(key);
      this.issue(at(name), 'is not a field of an order');
    }
    if (unknown.length > UNKNOWN_FIELDS_MAX) {
      this.issue(at(`(${unknown.length - UNKNOWN_FIELDS_MAX} more fields)`), 'are not fields of an order');
    }
    return value as Record<string, unknown>;
  }
}
