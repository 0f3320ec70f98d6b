import fc from 'fast-check';
import { findDuplicates } from '../../src/reconciliation/duplicates';
import { orphanOfLine, orphanOfNotification } from '../../src/reconciliation/orphans';
import { AS_OF, FILE_SHA256, cleanBooks } from './clean-books';

const line = {
  line: 12,
  originId: null,
  movementId: '880099',
  networkId: null,
  direction: 'debit',
  amount: { currency: '032', value: '75.50' },
  bookedAt: AS_OF,
  account: null,
  counterpartyAccount: '9'.repeat(22),
} as const;
const notification = {
  deliveryKey: 'evt-1',
  movementType: 'DEBIT',
  originIds: [],
  movementIds: ['880099'],
  networkIds: [],
  receivedAt: AS_OF,
} as const;

test('a notification and a statement line of one movement are one break', () => {
  const told = orphanOfNotification(notification);
  const booked = orphanOfLine(line, FILE_SHA256, 1, []);
  expect(told).toMatchObject({ class: 'ORPHAN_AT_BANK', subCase: 'NOTIFIED_DEBIT', originId: null });
  expect(booked).toMatchObject({
    class: 'ORPHAN_AT_BANK',
    subCase: 'DEBIT_ON_STATEMENT',
    amount: line.amount,
    evidence: { sha256: FILE_SHA256, at: AS_OF },
  });
  expect(told.key).toBe('ORPHAN_AT_BANK:MOVEMENT:880099');
  expect([booked.key, booked.fact]).toEqual([told.key, told.fact]);
  expect(told.detail).toMatch(/^The bank notified a debit that nobody ordered; type DEBIT; movement 880099;/);
});

test('the key is the bank’s id, else ours, else what the booking says with its number among equals', () => {
  const key = (change: object, ordinal = 1) =>
    orphanOfLine({ ...line, ...change }, FILE_SHA256, ordinal, []).key;
  expect(key({ movementId: null, networkId: 'N1', originId: 5 })).toBe('ORPHAN_AT_BANK:NETWORK:N1');
  expect(key({ movementId: null, originId: 5 })).toBe('ORPHAN_AT_BANK:ORIGIN:5');
  const bare = `ORPHAN_AT_BANK:BOOKING:${AS_OF}:032:75.50`;
  expect([key({ movementId: null }), key({ movementId: null }, 2)]).toEqual([`${bare}:1`, `${bare}:2`]);
  expect(key({ movementId: null, account: 'ab12cd34' })).toBe(
    `ORPHAN_AT_BANK:BOOKING:ab12cd34:${AS_OF}:032:75.50:1`,
  );
  const { key: delivery } = orphanOfNotification({ ...notification, movementIds: [] });
  expect(delivery).toBe('ORPHAN_AT_BANK:DELIVERY:evt-1');
});

test('suggestions are told to a person, and no account is', () => {
  const { detail, originId } = orphanOfLine({ ...line, movementId: null }, FILE_SHA256, 1, [4, 9]);
  expect(detail).toContain('may be 4, 9 by amount, account and date');
  expect(originId).toBeNull();
  expect(detail).not.toContain(line.counterpartyAccount);
});

test('a duplicate reads the same from whichever of its transfers it is seen', () => {
  const ids = fc.uniqueArray(fc.nat(1_000), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(cleanBooks('COMPLETED'), ids, fc.boolean(), (clean, originIds, sameNetworkToo) => {
      const seenFrom = originIds.map((originId) => {
        const others = originIds.filter((one) => one !== originId);
        const sameNetworkId = sameNetworkToo ? others : [];
        return findDuplicates({ ...clean, originId, sameMovementId: others, sameNetworkId });
      });
      const [first] = seenFrom;
      expect(first).toHaveLength(1);
      expect(first![0]!.originId).toBe(Math.max(...originIds));
      for (const one of seenFrom) expect(one).toEqual(first);
    }),
  );
});
