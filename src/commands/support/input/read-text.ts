import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { InputError } from '../../../program/exit-codes';

/** About 40,000 orders. Split a larger batch: the input is held in memory. */
const INPUT_MAX_BYTES = 16 * 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a directory',
};

/** Why a file cannot be used, as the end of a sentence; null: the error is not one of the file system. */
export function fileProblem(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('syscall' in error && 'code' in error)) return null;
  const code = String(error.code);
  return REASONS[code] ?? `cannot be used (${code})`;
}

/** The text of a file, or of stdin for `-`: UTF-8, with or without a byte order mark, at most 16 MiB. */
export async function readInputText(file: string, stdin: Readable): Promise<string> {
  const name = file === '-' ? 'the input' : `the file ${file}`;
  const stream = file === '-' ? stdin : createReadStream(file);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk as Uint8Array | string);
      length += bytes.length;
      if (length > INPUT_MAX_BYTES) {
        throw new InputError(`${name} is larger than ${INPUT_MAX_BYTES / 1024 / 1024} MiB: split it`);
      }
      chunks.push(bytes);
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name} ${fileProblem(error) ?? 'cannot be read'}`);
  }
  try {
    // Decoding drops a byte order mark.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    if (text.trim() !== '') return text;
  } catch {
    throw new InputError(`${name} is not UTF-8 text`);
  }
  throw new InputError(`${name} is empty`);
}
