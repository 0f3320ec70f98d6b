import { parse } from 'lossless-json';
import { parseBankAccount } from '../domain/bank-account';
import { isDay } from '../domain/calendar';
import { formatAmount, parseOrderAmount } from '../domain/money';
import { PROOF_KEY_ID, PROOF_KEY_ID_RULE } from '../domain/order-proof';

/**
 * A key of `ORDER_SIGNERS_FILE`: the public key of a service that gives orders, and what that service may order. Plain
 * data, no secret.
 */
export interface OrderSigner {
  readonly kid: string;
  /** The public Ed25519 key: base64url of 32 bytes, as in its JWK (RFC 8037). */
  readonly x: string;
  /** Accounts that it may send from, 22 digits each; null: any. */
  readonly fromAccounts: readonly string[] | null;
  /** Accounts that it may pay, 22 digits each; null: any. */
  readonly toAccounts: readonly string[] | null;
  /** Largest amount of one order, two decimals; null: any. */
  readonly amountMax: string | null;
  /** ISO UTC: the latest time of receipt of its orders; null: no end. */
  readonly notAfter: string | null;
}

export type ParsedOrderSigners =
  | { readonly ok: true; readonly value: readonly OrderSigner[] }
  /** Completes a sentence that starts with the file's name: the key's `kid` and the rule, never a member's value. */
  | { readonly ok: false; readonly reason: string };

const KEYS_MAX = 1_000;
const ACCOUNTS_MAX = 1_000;
const KEY_BYTES = 32;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

/** Reads a JSON Web Key Set. Strict: refuses unknown members, which could be misspelt limits, and private keys. */
export function parseOrderSigners(text: string): ParsedOrderSigners {
  let content: unknown;
  try {
    // Refuses a member that comes twice with different values: it is unclear which one is meant.
    content = parse(text, null, Number);
  } catch {
    // The parser's own message would repeat a piece of the file.
    return refuse('is not JSON, or has a member twice');
  }
  if (!isObject(content) || !Array.isArray(content['keys']) || Object.keys(content).length !== 1) {
    return refuse('is not a JSON Web Key Set, {"keys":[…]}');
  }
  const keys: readonly unknown[] = content['keys'];
  if (keys.length === 0) return refuse('has no keys');
  if (keys.length > KEYS_MAX) return refuse(`has more than ${KEYS_MAX} keys`);
  const signers: OrderSigner[] = [];
  for (const [i, jwk] of keys.entries()) {
    const signer = readSigner(jwk, i + 1);
    if (typeof signer === 'string') return refuse(signer);
    const same = signers.find(({ kid, x }) => kid === signer.kid || x === signer.x);
    if (same !== undefined) {
      return refuse(
        same.kid === signer.kid
          ? `has two keys ${signer.kid}`
          : `has the same key as ${same.kid} and ${signer.kid}`,
      );
    }
    signers.push(signer);
  }
  return { ok: true, value: signers };
}

/** Members that add nothing to `kty` and `crv`: each may only have these values. */
const FIXED: Readonly<Record<string, readonly unknown[]>> = {
  kty: ['OKP'],
  crv: ['Ed25519'],
  // WebCrypto writes the name of RFC 9864.
  alg: ['EdDSA', 'Ed25519', undefined],
  use: ['sig', undefined],
};
/** Further members of public keys (RFC 7517; `ext` is WebCrypto's), of which only `key_ops` is read. */
const FURTHER = ['key_ops', 'ext', 'x5u', 'x5c', 'x5t', 'x5t#S256'];
const MEMBERS = [...Object.keys(FIXED), 'kid', 'x', 'giro', ...FURTHER];
const LIMITS = ['fromAccounts', 'toAccounts', 'amountMax', 'notAfter'];

/** The signer, or what is wrong with the key. */
function readSigner(jwk: unknown, position: number): OrderSigner | string {
  if (!isObject(jwk)) return `has as key ${position} no JSON object`;
  const { kid, x, giro = {} } = jwk;
  if (typeof kid !== 'string' || !PROOF_KEY_ID.test(kid)) {
    return `has a key ${position} whose kid ${PROOF_KEY_ID_RULE}`;
  }
  const key = `has a key ${kid}`;
  if ('d' in jwk) return `${key} with its private part (d): it has to stay with who signs`;
  for (const [member, values] of Object.entries(FIXED)) {
    if (!values.includes(jwk[member])) {
      const allowed = values.filter((value) => value !== undefined);
      return `${key} whose ${member} is not ${allowed.map(String).join(' or ')}`;
    }
  }
  const { key_ops: uses = ['verify'] } = jwk;
  if (!Array.isArray(uses) || !uses.includes('verify'))
    return `${key} whose key_ops is not a list with "verify"`;
  if (typeof x !== 'string' || !isKey(x)) return `${key} whose x is not the base64url of ${KEY_BYTES} bytes`;
  const unknown = Object.keys(jwk).filter((member) => !MEMBERS.includes(member)).length;
  if (unknown > 0) return `${key} with members other than ${MEMBERS.join(', ')}`;
  if (!isObject(giro)) return `${key} whose giro is not a JSON object`;
  if (Object.keys(giro).some((member) => !LIMITS.includes(member))) {
    return `${key} whose giro has members other than ${LIMITS.join(', ')}`;
  }
  const limits = readLimits(giro);
  return typeof limits === 'string' ? `${key} whose ${limits}` : { kid, x, ...limits };
}

function readLimits(giro: Record<string, unknown>): Omit<OrderSigner, 'kid' | 'x'> | string {
  const fromAccounts = readAccounts(giro['fromAccounts']);
  if (fromAccounts === undefined) return `fromAccounts ${ACCOUNTS_RULE}`;
  const toAccounts = readAccounts(giro['toAccounts']);
  if (toAccounts === undefined) return `toAccounts ${ACCOUNTS_RULE}`;
  const amountMax = readAmount(giro['amountMax']);
  if (amountMax === undefined) return 'amountMax is not an amount in a string, such as "1500.00"';
  const notAfter = readInstant(giro['notAfter']);
  if (notAfter === undefined) return 'notAfter is not a time in UTC such as "2026-01-05T10:00:00Z"';
  return { fromAccounts, toAccounts, amountMax, notAfter };
}

const ACCOUNTS_RULE = `is not a list of 1 to ${ACCOUNTS_MAX} CBU or CVU numbers of 22 digits`;

/** Each reader: null when the limit is absent, undefined when it is bad. */
function readAccounts(value: unknown): readonly string[] | null | undefined {
  if (value === undefined) return null;
  if (!Array.isArray(value) || value.length === 0 || value.length > ACCOUNTS_MAX) return undefined;
  // Check digits are checked with the order, by the setting CHECK_DIGITS.
  const accounts = value.map((entry: unknown) =>
    typeof entry === 'string' ? parseBankAccount(entry, { checkDigits: false }) : null,
  );
  const digits = accounts.flatMap((account) => (account?.ok === true ? [account.digits] : []));
  return digits.length === value.length ? digits : undefined;
}

function readAmount(value: unknown): string | null | undefined {
  if (value === undefined) return null;
  const parsed = typeof value === 'string' ? parseOrderAmount(value) : null;
  return parsed?.ok === true ? formatAmount(parsed.amountMinor) : undefined;
}

function readInstant(value: unknown): string | null | undefined {
  if (value === undefined) return null;
  if (typeof value !== 'string' || !INSTANT.test(value) || !isDay(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

function isKey(x: string): boolean {
  const bytes = Buffer.from(x, 'base64url');
  return bytes.length === KEY_BYTES && bytes.toString('base64url') === x;
}

const refuse = (reason: string): ParsedOrderSigners => ({ ok: false, reason });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
