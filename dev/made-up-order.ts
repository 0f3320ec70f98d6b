import type { TransferOrder } from '../src/domain/order';

/** A valid order for demo, bench and tests: made-up accounts and tax ids with correct check digits. */
export const madeUpOrder = (originId: number, description: string, amount = '1500.25'): TransferOrder => ({
  originId,
  from: {
    addressType: 'CBU_CVU',
    address: '0009001600000000000017',
    owner: { personIdType: 'CUI', personId: '30714979732' },
  },
  to: {
    addressType: 'CBU_CVU',
    address: '9990001800000000000017',
    owner: { personIdType: 'CUI', personId: '20218346414' },
  },
  body: { currencyId: '032', amount, description, concept: 'FAC' },
});
