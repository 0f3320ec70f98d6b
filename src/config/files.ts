import { closeSync, openSync, readSync } from 'node:fs';
import { accept, refuse } from './formats';
import type { Parsed, Parser } from './formats';

/** Tokens, passphrases and certificates are far smaller; a larger file is the wrong file. */
export const SETTINGS_FILE_MAX_BYTES = 256 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a directory',
};

/** A text file named by a variable. The reason of a failure gives the path, never the content. */
export function readSettingsFile(path: string): Parsed<string> {
  let bytes: Buffer;
  try {
    bytes = readAtMost(path, SETTINGS_FILE_MAX_BYTES + 1);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return refuseFile(path, REASONS[code] ?? `cannot be read (${code})`);
  }
  if (bytes.length === 0) return refuseFile(path, 'is empty');
  if (bytes.length > SETTINGS_FILE_MAX_BYTES)
    return refuseFile(path, `is larger than ${SETTINGS_FILE_MAX_BYTES} bytes`);
  try {
    return accept(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuseFile(path, 'is not UTF-8 text');
  }
}

/** A secret's file: one trailing line feed is not part of the secret. */
export function readSecretFile(path: string): Parsed<string> {
  const file = readSettingsFile(path);
  if (!file.ok) return file;
  const secret = file.value.replace(/\r?\n$/, '');
  return secret === '' ? refuseFile(path, 'is empty') : accept(secret);
}

/** While a secret is changed there are two; more than a handful is the wrong file. */
const SECRETS_MAX = 10;

/** A file with one or more secrets, one a line; empty lines do not count. No reason repeats a secret. */
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

/** A path beside what its file held. */
export const fileAnd =
  <T>(read: (path: string) => Parsed<T>): Parser<{ readonly file: string; readonly value: T }> =>
  (file) => {
    const parsed = read(file);
    return parsed.ok ? accept({ file, value: parsed.value }) : parsed;
  };

const refuseFile = (path: string, what: string): Parsed<never> => refuse(`the file ${path} ${what}`);

/** Bounded by what is read, not by the size that the file system tells: a pipe or a device tells none. */
function readAtMost(path: string, maxBytes: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes);
    let length = 0;
    while (length < maxBytes) {
      const count = readSync(file, buffer, length, maxBytes - length, null);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
