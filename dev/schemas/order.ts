import { z } from 'zod';
import { REFERENCE_MAX_LENGTH } from '../../src/client/order-input';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';

/**
 * The form of an order as a caller may write it, before normalisation. The worker checks further rules (check digits,
 * two different accounts, limits of the installation), and names every field that breaks one.
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

/** Not zero. Without a look-ahead, because not every language's regular expressions have it. */
const POSITIVE = /^(?:[1-9][0-9]{0,12}(?:\.[0-9]{1,2})?|0\.(?:[1-9][0-9]?|0[1-9]))$/;
/** No control characters: category Cc of Unicode. */
const ONE_LINE = /^[^\u0000-\u001f\u007f-\u009f]*$/;

const amount = z
  .union([z.string().regex(POSITIVE), z.number().positive().lt(1e13)])
  .describe(
    'greater than zero, at most two decimals; a number has at most 15 significant digits and counts by its value, and ' +
      'only the worker checks its decimals',
  );

const body = z.strictObject({
  currencyId: z.literal('032').describe('the Argentine peso'),
  amount,
  description: z
    .string()
    .regex(ONE_LINE)
    .optional()
    .describe('one line, may be empty or absent; the recipient may see it'),
  concept: z.string().describe('concept code of the central bank, one of CONCEPTS, such as FAC'),
});

const parties = { from: party, to: party, body };

/** The argument of workflow `transfer`. */
export const transferOrder = z
  .strictObject({
    originId: z
      .int()
      .min(DEFAULT_ORDER_LIMITS.originIdMin)
      .describe("the caller's identifier, unique for ever; the workflow id is transfer-<originId>"),
    ...parties,
    proof: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,255}\.\.[A-Za-z0-9_-]{86}$/)
      .optional()
      .describe(
        'detached compact JWS (EdDSA) over the canonical text of the order; its kid names the service that gave the ' +
          'order; required with ORDER_SIGNERS_FILE',
      ),
  })
  .describe('argument of workflow `transfer`; an order for `transfer start` and GiroClient');

/** For `transfer start` and a `GiroClient` with a journal; the workflow itself needs an originId. */
export const transferOrderByReference = z
  .strictObject({
    reference: z
      .string()
      .min(1)
      .max(REFERENCE_MAX_LENGTH)
      .regex(ONE_LINE)
      .describe("the caller's reference, bound to a new originId for ever"),
    ...parties,
  })
  .describe('an order for `transfer start` and for a GiroClient that has a journal');
