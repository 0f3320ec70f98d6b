import { createHash } from 'node:crypto';

/**
 * What stands for one of our own accounts in statements, keys and files of a journal: eight hex digits of its SHA-256.
 * Thousands of account numbers have the same, so that it tells nobody which one it is; of the accounts of one company
 * no two will.
 */
export const accountMark = (account: string): string =>
  createHash('sha256').update(account).digest('hex').slice(0, 8);
