import { z } from 'zod';

/** Parts of several schemas. */
export const time = z.iso.datetime().describe('ISO 8601, UTC');
export const count = z.int().min(0);
export const originId = z.int().describe('the caller’s identifier of a transfer, unique for ever');
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const decimal = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,12})\.[0-9]{2}$/)
  .describe('decimal string with two decimals');
export const statusWord = z
  .string()
  .describe(
    'the bank’s status as reported, or UNREADABLE and a short hash if it does not look like a status',
  );
