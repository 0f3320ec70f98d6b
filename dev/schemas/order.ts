import { z } from 'zod';
import { REFERENCE_MAX_LENGTH } from '../../src/client/order-input';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';

/**
 * The shape of an order as a caller may write it, before normalisation. Further rules (check digits, different accounts,
 * limits of the installation) are the worker's: it names every field that breaks one.
 */
const digits = (length: number) => new RegExp(`^[ -]*(?:[0-9][ -]*){${length}}$`);

const owner = z.strictObject({
  personIdType: z.literal('CUI'),
  personId: z.string().regex(digits(11)).describe('CUIT or CUIL: 11 digits, spaces and dashes allowed'),
});

const party = z.strictObject({
  addressType: z.literal('CBU_CVU'),
  address: z
    .string()
    .regex(digits(22))
    .describe('CBU or CVU: 22 digits, spaces and dashes allowed; no alias'),
  owner,
});

const amount = z
  .union([z.string().regex(/^(?:0|[1-9][0-9]{0,12})(?:\.[0-9]{1,2})?$/), z.number().positive().lt(1e13)])
  .describe(
    'greater than zero, two decimals at most; a number: 15 significant digits at most, counts by its value',
  );

const body = z.strictObject({
  currencyId: z.literal('032').describe('the Argentine peso'),
  amount,
  description: z.string().optional().describe('may be empty or absent; the recipient may see it'),
  concept: z.string().describe('concept code of the central bank, one of CONCEPTS, such as FAC'),
});

const parties = { from: party, to: party, body };

/** The argument of workflow `transfer`. */
export const transferOrder = z
  .strictObject({
    originId: z
      .int()
      .min(DEFAULT_ORDER_LIMITS.originIdMin)
      .describe('yours, unique for ever; the workflow id is transfer-<originId>'),
    ...parties,
  })
  .describe('argument of workflow `transfer`; an order for `transfer start` and GiroClient');

/** For `transfer start` and a `GiroClient` with a journal; the workflow itself wants an originId. */
export const transferOrderByReference = z
  .strictObject({
    reference: z
      .string()
      .min(1)
      .max(REFERENCE_MAX_LENGTH)
      .describe('your own reference, bound to a new originId for ever'),
    ...parties,
  })
  .describe('an order for `transfer start` and for a GiroClient that has a journal');
