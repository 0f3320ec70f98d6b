import type { TransferOrder } from '../src/domain/order';

/** A good order; made-up numbers. */
export const orderOf = (originId: number): TransferOrder => ({
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
  body: { currencyId: '032', amount: '1500.25', description: 'bench', concept: 'FAC' },
});
