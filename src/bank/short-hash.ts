import { createHash } from 'node:crypto';

/** Stands for a text of the bank that may be personal: eight hexadecimal digits, in capitals. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 8).toUpperCase();
