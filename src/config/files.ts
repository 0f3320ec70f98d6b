import { closeSync, openSync, readSync } from 'node:fs';
import type { Parsed } from './parsers';

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
    return refuse(path, REASONS[code] ?? `cannot be read (${code})`);
  }
  if (bytes.length === 0) return refuse(path, 'is empty');
  if (bytes.length > SETTINGS_FILE_MAX_BYTES)
    return refuse(path, `is larger than ${SETTINGS_FILE_MAX_BYTES} bytes`);
  try {
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return refuse(path, 'is not UTF-8 text');
  }
}

/** A secret's file: one trailing line feed is not part of the secret. */
export function readSecretFile(path: string): Parsed<string> {
  const file = readSettingsFile(path);
  if (!file.ok) return file;
  const secret = file.value.replace(/\r?\n$/, '');
  return secret === '' ? refuse(path, 'is empty') : { ok: true, value: secret };
}

const refuse = (path: string, what: string): Parsed<never> => ({
  ok: false,
  reason: `the file ${path} ${what}`,
});

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
