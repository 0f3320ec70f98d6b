import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { accept, refuse } from './formats';
import type { Parsed, Parser } from './formats';

/** Tokens, passphrases and certificates are far smaller; a larger file is the wrong file. */
export const SETTINGS_FILE_MAX_BYTES = 256 * 1024;
/** All authorities of a system are some 220 KB. */
const AUTHORITIES_MAX_BYTES = 4 * 1024 * 1024;

const FOR_OTHERS = 0o007;
const WRITTEN_BY_OTHERS = 0o002;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a directory',
};

/** A text file named by a variable. The reason of a failure gives the path, never the content. */
export const readSettingsFile = (path: string): Parsed<string> => readText(path, 0);

/** The same for a file with secrets, such as a private key: refused if anybody but its owner and group has access. */
export const readClosedFile = (path: string): Parsed<string> => readText(path, FOR_OTHERS);

/** The same for a file without secrets that says who may do what: refused when others may change it. */
export const readGuardedFile = (path: string): Parsed<string> => readText(path, WRITTEN_BY_OTHERS);

/** The same for a bundle of authorities, which may be as large as a system's. */
export const readAuthoritiesFile = (path: string): Parsed<string> => readText(path, 0, AUTHORITIES_MAX_BYTES);

/** @param forbidden bits of the mode with which the file is refused */
function readText(path: string, forbidden: number, maxBytes = SETTINGS_FILE_MAX_BYTES): Parsed<string> {
  let bytes: Buffer;
  let mode: number;
  try {
    // Reading a named pipe blocks until somebody writes to it. A link to a pipe is allowed, because the shell passes
    // `<(program)` as one.
    if (lstatSync(path).isFIFO()) return refuseFile(path, 'is a named pipe');
    ({ bytes, mode } = readAtMost(path, maxBytes + 1));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return refuseFile(path, REASONS[code] ?? `cannot be read (${code})`);
  }
  if ((mode & forbidden) !== 0) {
    const shown = `0${mode.toString(8)}`;
    return refuseFile(
      path,
      forbidden === WRITTEN_BY_OTHERS
        ? `may be changed by others (mode ${shown}): chmod 0644 or less`
        : `is open to others (mode ${shown}): chmod 0600, or 0640 for a group that reads it`,
    );
  }
  if (bytes.length === 0) return refuseFile(path, 'is empty');
  if (bytes.length > maxBytes) return refuseFile(path, `is larger than ${maxBytes} bytes`);
  try {
    return accept(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuseFile(path, 'is not UTF-8 text');
  }
}

/** A secret's file: closed to others; one trailing line feed is not part of the secret. */
export const readSecretFile = (path: string): Parsed<string> => withoutLineFeed(path, readClosedFile(path));

/** A file with one value that protects nothing, such as a secret of the sandbox bank. */
export const readValueFile = (path: string): Parsed<string> => withoutLineFeed(path, readSettingsFile(path));

function withoutLineFeed(path: string, file: Parsed<string>): Parsed<string> {
  if (!file.ok) return file;
  const value = file.value.replace(/\r?\n$/, '');
  return value === '' ? refuseFile(path, 'is empty') : accept(value);
}

/** During a change of secret the file has two; more than a handful means the wrong file. */
const SECRETS_MAX = 10;

/** A file with one or more secrets, one on each line; empty lines do not count. No reason contains a secret. */
export function readSecretLines(
  path: string,
  check: (secret: string) => Parsed<string>,
): Parsed<readonly string[]> {
  const file = readSecretFile(path);
  if (!file.ok) return file;
  const lines = file.value.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length === 0) return refuseFile(path, 'is empty');
  if (lines.length > SECRETS_MAX) return refuseFile(path, `has more than ${SECRETS_MAX} lines`);
  for (const [i, line] of lines.entries()) {
    const checked = check(line);
    if (!checked.ok) return refuseFile(path, `has in line ${i + 1} a secret that ${checked.reason}`);
  }
  return accept(lines);
}

export const secretWithin =
  (minLength: number, maxLength: number, form: RegExp, what: string) =>
  (secret: string): Parsed<string> => {
    if (secret.length < minLength) return refuse(`is shorter than ${minLength} characters`);
    if (secret.length > maxLength) return refuse(`is longer than ${maxLength} characters`);
    return form.test(secret) ? accept(secret) : refuse(what);
  };

/** A path, and the content of its file. */
export const fileAnd =
  <T>(read: (path: string) => Parsed<T>): Parser<{ readonly file: string; readonly value: T }> =>
  (file) => {
    const parsed = read(file);
    return parsed.ok ? accept({ file, value: parsed.value }) : parsed;
  };

const refuseFile = (path: string, what: string): Parsed<never> => refuse(`the file ${path} ${what}`);

/** Limits the bytes that are read, not the reported size: a pipe or a device reports none. */
function readAtMost(path: string, maxBytes: number): { readonly bytes: Buffer; readonly mode: number } {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes);
    let length = 0;
    while (length < maxBytes) {
      const count = readSync(file, buffer, length, maxBytes - length, null);
      if (count === 0) break;
      length += count;
    }
    // For pipes and devices, the mode does not say who can read the content.
    const stat = fstatSync(file);
    return { bytes: buffer.subarray(0, length), mode: stat.isFile() ? stat.mode & 0o777 : 0 };
  } finally {
    closeSync(file);
  }
}
