import { madeUpOrder } from '../../dev/made-up-order';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { validateOrder } from '../../src/domain/order-validation';
import { MADE_UP_PARTY, accountsAndOwners } from '../support/made-up-party';

const ORDERS = 1_000;

const partiesOf = (originId: number) => accountsAndOwners(madeUpOrder(originId, 'Factura 17'));

describe.each([0, 1_001, 2_147_483_000, 987_654_321_098_000, Number.MAX_SAFE_INTEGER - ORDERS])(
  'made-up orders from originId %i',
  (firstId) => {
    const originIds = Array.from({ length: ORDERS }, (_, i) => firstId + i);

    test('are orders that validation accepts as they are, without a warning', () => {
      const limits = { ...DEFAULT_ORDER_LIMITS, originIdMin: 0 };
      for (const originId of originIds) {
        const order = madeUpOrder(originId, 'Factura 17');
        expect(validateOrder(order, limits)).toEqual({ ok: true, order, proof: null, warnings: [] });
      }
    });

    test('share no account and no owner; the same originId has the same ones again', () => {
      const all = originIds.flatMap(partiesOf);
      expect(new Set(all).size).toBe(4 * ORDERS);
      expect(originIds.flatMap(partiesOf)).toEqual(all);
    });

    test('have only accounts and owners that a search for personal data finds', () => {
      for (const value of originIds.flatMap(partiesOf)) expect(value).toMatch(MADE_UP_PARTY);
    });
  },
);
