import fc from 'fast-check';
import { formatAmount } from '../../src/domain/money';
import type { TransferOrder } from '../../src/domain/order';
import { anyText } from './any-text';
import { digitsOf } from './made-up-numbers';

const party = fc.record({
  addressType: fc.constant('CBU_CVU' as const),
  address: digitsOf(22),
  owner: fc.record({ personIdType: fc.constant('CUI' as const), personId: digitsOf(11) }),
});
/** Any order that validation accepts. */
export const anyOrder: fc.Arbitrary<TransferOrder> = fc.record({
  originId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  from: party,
  to: party,
  body: fc.record({
    currencyId: fc.constant('032' as const),
    amount: fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }).map(formatAmount),
    // Well-formed text, as validation accepts it.
    description: anyText({ maxLength: 100 }),
    concept: fc.constantFrom('FAC', 'VAR'),
  }),
});
