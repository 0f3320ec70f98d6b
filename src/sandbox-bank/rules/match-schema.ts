import { z } from 'zod';
import { literalText } from '../json';
import type { BankOrder } from '../order';

/** Whether a rule matches this order. */
export type OrderTest = (order: BankOrder) => boolean;

const text = z.string().min(1, 'must not be empty');
const account = z.string().regex(/^[0-9]{22}$/, 'must be 22 digits');

const asText = (input: unknown): unknown => {
  if (typeof input === 'number') return String(input);
  return literalText(input) ?? input;
};

const amount = z
  .preprocess(asText, z.string('must be a decimal, e.g. "1500.25"'))
  .transform((input, context) => {
    const minor = centavos(input);
    if (minor !== null) return minor;
    context.addIssue({
      code: 'custom',
      message: 'must be a decimal of at most two decimals, e.g. "1500.25"',
    });
    return z.NEVER;
  });

const integer = z
  .preprocess(asText, z.string('must be an integer').regex(/^[0-9]{1,19}$/, 'must be an integer'))
  .transform((input) => BigInt(input));

const originIds = z.preprocess(
  (input) => {
    const single = asText(input);
    return typeof single === 'string' ? { min: single, max: single } : input;
  },
  z
    .strictObject({ min: integer.optional(), max: integer.optional() })
    .refine(({ min, max }) => min !== undefined || max !== undefined, 'must have min, max or both')
    .refine(({ min, max }) => min === undefined || max === undefined || min <= max, 'min is above max'),
);

const description = z.preprocess(
  (input) => (typeof input === 'string' ? { exact: input } : input),
  z.union(
    [z.strictObject({ exact: z.string() }), z.strictObject({ prefix: text })],
    'must be a text or {"prefix": text}',
  ),
);

/** The criteria of a rule, as one test that passes if all criteria match. */
export const matchSchema = z
  .strictObject({
    amount: amount.optional(),
    account: account.optional(),
    from: account.optional(),
    to: account.optional(),
    originId: originIds.optional(),
    description: description.optional(),
  })
  .transform((match): OrderTest => {
    const { from, to, originId: range } = match;
    const tests: OrderTest[] = [];
    if (match.amount !== undefined) tests.push((order) => centavos(order.body.amount) === match.amount);
    if (match.account !== undefined)
      tests.push((order) => order.from.address === match.account || order.to.address === match.account);
    if (from !== undefined) tests.push((order) => order.from.address === from);
    if (to !== undefined) tests.push((order) => order.to.address === to);
    if (range !== undefined)
      tests.push((order) => {
        const originId = BigInt(order.originId);
        return originId >= (range.min ?? originId) && originId <= (range.max ?? originId);
      });
    const words = match.description;
    if (words !== undefined)
      tests.push(({ body }) =>
        'exact' in words ? body.description === words.exact : body.description.startsWith(words.prefix),
      );
    return (order) => tests.every((test) => test(order));
  });

const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]{1,2})0*)?$/;

/** `"1500.25"`, `"1500.250"` → 150025n; null: the text is not a plain decimal with at most two significant decimals. */
function centavos(text: string): bigint | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, integer = '', fraction = ''] = match;
  return BigInt(integer + fraction.padEnd(2, '0'));
}
