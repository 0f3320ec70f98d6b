import { OPERATOR_RULE, isOperator, operatorKey } from '../domain/operator';
import { SSH_KEY_TYPES, isSshKeyType, readSshPublicKey } from '../signing/ssh/public-key';
import { SshFormError, strictBase64 } from '../signing/ssh/wire';

/**
 * One line of OpenSSH's `allowed_signers` (ssh-keygen(1), ALLOWED SIGNERS), in the subset that Giro accepts: whose
 * decisions a key signs, and when. Plain data.
 */
export interface AllowedSigner {
  readonly line: number;
  /** Ways to write the name of one operator. */
  readonly principals: readonly string[];
  /** Purposes that the key may sign for; null: any. */
  readonly namespaces: readonly string[] | null;
  /** Valid from this time; null: no lower bound. ms since 1970. */
  readonly validAfterMs: number | null;
  /** Valid until this time; null: no upper bound. ms since 1970. */
  readonly validBeforeMs: number | null;
  /** Fingerprint of the key, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
}

export type ReadSigners =
  | { readonly ok: true; readonly signers: readonly AllowedSigner[] }
  /** Completes a sentence that starts with the file's name; names the line. */
  | { readonly ok: false; readonly reason: string };

/** Why a line is refused. */
class LineError extends Error {}

/**
 * One bad line refuses the file: a line read differently than `ssh-keygen` reads it could admit the wrong person or
 * lock out the right one.
 */
export function readAllowedSigners(text: string): ReadSigners {
  const signers: AllowedSigner[] = [];
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(content)) continue;
    try {
      const signer = readLine(content.trim(), index + 1);
      if (isShared(signer, signers)) throw new LineError('the key is listed for two operators');
      signers.push(signer);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      return { ok: false, reason: `in line ${index + 1}: ${error.message}` };
    }
  }
  return signers.length === 0 ? { ok: false, reason: 'lists nobody' } : { ok: true, signers };
}

/** The lines that list this key for this operator; names are compared without case. */
export const signersOf = (
  signers: readonly AllowedSigner[],
  { operator, fingerprint }: { readonly operator: string; readonly fingerprint: string },
): readonly AllowedSigner[] =>
  signers.filter(
    (one) =>
      one.fingerprint === fingerprint &&
      one.principals.some((name) => operatorKey(name) === operatorKey(operator)),
  );

/** Whether the key is listed for two operators: nobody could tell which of the two has signed. */
function isShared({ fingerprint, principals }: AllowedSigner, others: readonly AllowedSigner[]): boolean {
  const names = others.filter((one) => one.fingerprint === fingerprint).flatMap((one) => one.principals);
  return new Set([...names, ...principals].map(operatorKey)).size > 1;
}

function readLine(content: string, line: number): AllowedSigner {
  const [first = '', ...rest] = words(content);
  const principals = first.split(',');
  for (const name of principals) {
    if (/[*?!]/.test(name)) throw new LineError('a principal is a pattern; name each operator');
    if (!isOperator(name)) throw new LineError(`a principal ${OPERATOR_RULE}`);
  }
  const [next = '', afterNext = ''] = rest;
  const hasOptions = /=|^cert-authority/i.test(next) || (!isSshKeyType(next) && isSshKeyType(afterNext));
  const options = readOptions(hasOptions ? (rest.shift() ?? '') : '');
  const [type = '', key = ''] = rest;
  if (!isSshKeyType(type)) throw new LineError(`the key is none of ${SSH_KEY_TYPES.join(', ')}`);
  return { line, principals, ...options, fingerprint: fingerprintOf(type, key) };
}

/** Split at white space, but not within quotes. */
function words(content: string): string[] {
  if (content.replace(/"[^"]*"/g, '').includes('"')) throw new LineError('a quote is not closed');
  return content.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
}

function fingerprintOf(type: string, key: string): string {
  const blob = strictBase64(key);
  if (blob === null) throw new LineError('the key is not base64');
  try {
    const read = readSshPublicKey(blob);
    if (read.type !== type) throw new LineError(`the key is said to be ${type}, and is ${read.type}`);
    return read.fingerprint;
  } catch (error) {
    if (error instanceof SshFormError) throw new LineError(`the line ${error.message}`);
    throw error;
  }
}

type Options = Pick<AllowedSigner, 'namespaces' | 'validAfterMs' | 'validBeforeMs'>;

function readOptions(text: string): Options {
  const options: { -readonly [K in keyof Options]: Options[K] } = {
    ...{ namespaces: null, validAfterMs: null, validBeforeMs: null },
  };
  const seen = new Set<string>();
  for (const option of text === '' ? [] : (text.match(/(?:[^,"]|"[^"]*")+/g) ?? [])) {
    const [, name = '', value = ''] = /^([A-Za-z-]+)(?:="([^"]*)")?$/.exec(option) ?? [];
    const known = name.toLowerCase();
    if (seen.has(known)) throw new LineError(`option ${known} is there twice`);
    seen.add(known);
    switch (known) {
      case 'namespaces':
        options.namespaces = readNamespaces(value);
        break;
      case 'valid-after':
        options.validAfterMs = readTime(known, value);
        break;
      case 'valid-before':
        options.validBeforeMs = readTime(known, value);
        break;
      case 'cert-authority':
        throw new LineError('certificates are not taken (cert-authority); list the key of each operator');
      default:
        throw new LineError('an option is none of namespaces, valid-after, valid-before');
    }
  }
  const { validAfterMs, validBeforeMs } = options;
  if (validAfterMs !== null && validBeforeMs !== null && validBeforeMs <= validAfterMs)
    throw new LineError('valid-before is not after valid-after');
  return options;
}

function readNamespaces(value: string): readonly string[] {
  const namespaces = value.split(',');
  if (namespaces.some((name) => !/^[A-Za-z0-9._@+/-]+$/.test(name)))
    throw new LineError(
      'namespaces must be literal names without patterns, such as namespaces="giro-decision"',
    );
  return namespaces;
}

const TIME = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?Z$/;

/** Without the Z, OpenSSH uses the machine's time zone, and machines would differ. */
function readTime(name: string, value: string): number {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = TIME.exec(value) ?? [];
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const atMs = year === undefined ? NaN : Date.parse(iso);
  if (Number.isNaN(atMs) || new Date(atMs).toISOString() !== iso)
    throw new LineError(`${name} must be a time in UTC: YYYYMMDDZ, YYYYMMDDHHMMZ or YYYYMMDDHHMMSSZ`);
  return atMs;
}
