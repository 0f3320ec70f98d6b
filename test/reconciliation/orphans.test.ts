import fc from 'fast-check';
import { findDuplicates } from '../../src/reconciliation/compare';
import { seeBreak } from '../../src/reconciliation/break-life';
import type { Break } from '../../src/reconciliation/break';
import { isDealtWith, underKnownKeys } from '../../src/reconciliation/known-orphans';
import { orphanOfLine, orphanOfNotification } from '../../src/reconciliation/orphans';
import type { ReportedLine, ReportedOrphan } from '../../src/reconciliation/orphans';
import { BookingOrdinals } from '../../src/reconciliation/statement/booking-ordinals';
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

const booked = (
  change: Partial<ReportedLine['line']> = {},
  rest: Partial<ReportedLine> = {},
): ReportedOrphan =>
  orphanOfLine({
    ...{ line: { ...line, ...change }, sha256: FILE_SHA256, ordinal: 1, isReadable: true },
    ...{ suggested: [], notified: [], ...rest },
  });
let deliveries = 0;
const notified = (ids: Partial<typeof NO_IDS>): ReportedOrphan =>
  orphanOfNotification(
    {
      ...{ ...notification, ...NO_IDS, ...ids },
      deliveryKey: `evt-${(deliveries += 1)}`,
    },
    'NOTIFIED_DEBIT',
  );
const NO_IDS: { originIds: number[]; movementIds: string[]; networkIds: string[] } = {
  ...{ originIds: [], movementIds: [], networkIds: [] },
};

/** The breaks of one run after another, as its steps keep them. */
class Breaks {
  readonly byKey = new Map<string, Break>();

  /** Keys in the order of the reports; null: resolved. */
  tell(...told: readonly ReportedOrphan[]): (string | null)[] {
    const asked = new Set(told.flatMap(({ keys }) => keys));
    const known = [...this.byKey.values()].filter(({ key }) => asked.has(key)).map((one) => ({ break: one }));
    return underKnownKeys(told, known).map((found) => {
      const before = this.byKey.get(found.key);
      if (isDealtWith(found, before)) return null;
      const { break: after } = seeBreak(before ?? null, found, AS_OF);
      this.byKey.set(found.key, after);
      return after.state === 'resolved' ? null : found.key.slice('ORPHAN_AT_BANK:'.length);
    });
  }

  resolve(key: string): void {
    const one = this.byKey.get(`ORPHAN_AT_BANK:${key}`);
    if (one === undefined) throw new Error(`no break ${key}`);
    this.byKey.set(one.key, { ...one, state: 'resolved', resolvedBy: 'operator', resolvedFact: one.fact });
  }
}

describe('each debit is reported once', () => {
  const first = { originIds: [7], movementIds: ['M1'], networkIds: ['N1'] };
  const second = { originIds: [7], movementIds: ['M2'], networkIds: ['N2'] };

  test('two that share our id, one of which was resolved before the bank reported more about it', () => {
    const breaks = new Breaks();
    expect(breaks.tell(notified({ originIds: [7] }))).toEqual(['ORIGIN:7']);
    breaks.resolve('ORIGIN:7');
    expect(breaks.tell(notified(first), notified(second))).toEqual([null, 'MOVEMENT:M2']);
    // In two steps, the other way round, and again.
    expect(breaks.tell(notified(second))).toEqual(['MOVEMENT:M2']);
    expect(breaks.tell(notified(first))).toEqual([null]);
  });

  test('the second of them in a later step, after the first that was dealt with', () => {
    const breaks = new Breaks();
    breaks.tell(notified({ originIds: [7] }));
    breaks.resolve('ORIGIN:7');
    expect(breaks.tell(notified(first))).toEqual([null]);
    expect(breaks.tell(notified(second))).toEqual(['MOVEMENT:M2']);
  });

  test('two open ones are two breaks, also of one movement and two ids of the network', () => {
    const breaks = new Breaks();
    breaks.tell(notified({ originIds: [7] }));
    expect(breaks.tell(notified(first), notified(second))).toEqual(['ORIGIN:7', 'MOVEMENT:M2']);
    const shared = [
      notified({ movementIds: ['M5'], networkIds: ['N8'] }),
      notified({ movementIds: ['M5'], networkIds: ['N9'] }),
    ];
    expect(breaks.tell(...shared)).toEqual(['MOVEMENT:M5', 'NETWORK:N9']);
    expect(breaks.tell(...shared.reverse())).toEqual(['NETWORK:N9', 'MOVEMENT:M5']);
    breaks.resolve('MOVEMENT:M5');
    expect(breaks.tell(...shared)).toEqual(['NETWORK:N9', null]);
  });

  test('any debits, in any pages and orders, before and after all were dealt with', () => {
    const ids = fc.record({
      originIds: fc.subarray([1, 2], { maxLength: 1 }),
      movementIds: fc.subarray(['M1', 'M2'], { maxLength: 1 }),
    });
    // Ids of the network differ: these are as many debits, whatever else they share.
    fc.assert(
      fc.property(
        fc.array(ids, { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat(99)),
        (all, random) => {
          const debits = all.map((one, n) => notified({ ...one, networkIds: [`N${n}`] }));
          const breaks = new Breaks();
          const inPages = (): (string | null)[] => {
            const order = debits
              .map((debit) => ({ debit, rank: random.next().value }))
              .sort((a, b) => a.rank - b.rank)
              .map(({ debit }) => debit);
            const cut = random.next().value % (order.length + 1);
            return [...breaks.tell(...order.slice(0, cut)), ...breaks.tell(...order.slice(cut))];
          };
          const keys = inPages();
          expect(new Set(keys).size).toBe(debits.length);
          expect(new Set(inPages())).toEqual(new Set(keys));
          for (const key of keys) breaks.resolve(key ?? '');
          expect(inPages()).toEqual(debits.map(() => null));
          expect(breaks.tell(notified({ originIds: [1], movementIds: ['M1'], networkIds: ['new'] }))).toEqual(
            [expect.any(String)],
          );
        },
      ),
    );
  });
});

describe('each booking is a separate break', () => {
  const money = (value: string) => ({ amount: { currency: '032', value } });
  const payment = booked(money('1500000.00'));
  const tax = booked(money('9000.00'));

  test('a payment and its tax of one movement, in any order and file, each with its amount', () => {
    const breaks = new Breaks();
    breaks.tell(notified({ movementIds: ['880099'] }));
    const keys = breaks.tell(payment, tax);
    expect(keys).toEqual(['MOVEMENT:880099', 'MOVEMENT:880099:2026-03-12:032:9000.00:1']);
    expect(breaks.tell(tax, payment)).toEqual([...keys].reverse());
    expect(breaks.tell(tax)).toEqual([keys[1]]);
    expect(breaks.tell(notified({ movementIds: ['880099'] }))).toEqual([keys[0]]);
    expect([...breaks.byKey.values()].map(({ amount }) => amount?.value)).toEqual(['1500000.00', '9000.00']);
    breaks.resolve('MOVEMENT:880099');
    expect(breaks.tell(payment, tax)).toEqual([null, keys[1]]);
  });

  test('two of one originId and amount: by number in a file, and by their days', () => {
    const breaks = new Breaks();
    const ours = { movementId: null, originId: 4711 };
    const two = [booked(ours), booked(ours, { ordinal: 2 })];
    const keys = breaks.tell(...two);
    expect(keys).toEqual(['ORIGIN:4711', 'ORIGIN:4711:2026-03-12:032:75.50:2']);
    // In two steps, too.
    expect([...breaks.tell(two[1]!), ...breaks.tell(two[0]!)]).toEqual([...keys].reverse());
    breaks.resolve('ORIGIN:4711');
    expect(breaks.tell(booked({ ...ours, bookedAt: '2026-03-16T03:00:00.000Z' }))).toEqual([
      'ORIGIN:4711:2026-03-16:032:75.50:1',
    ]);
  });

  test('one without any id is the same with and without its account in the mapping', () => {
    const bare = { movementId: null };
    const [a, b] = ['ab12cd34', 'ef56ab78'].map((account) => booked({ ...bare, account }));
    for (const [before, after] of [
      [booked(bare), a!],
      [a!, booked(bare)],
    ] as const) {
      const breaks = new Breaks();
      const [key] = breaks.tell(before);
      expect(breaks.tell(after)).toEqual([key]);
      breaks.resolve(key!);
      expect([...breaks.tell(before), ...breaks.tell(after)]).toEqual([null, null]);
    }
    // Two accounts, two debits.
    const breaks = new Breaks();
    const keys = [...breaks.tell(a!), ...breaks.tell(b!)];
    expect(keys).toEqual([`BOOKING:${AS_OF}:032:75.50:1`, `BOOKING:ef56ab78:${AS_OF}:032:75.50:1`]);
    expect(breaks.tell(b!, a!)).toEqual([...keys].reverse());
  });
});

test('equal bookings of one id are numbered in the file’s order', () => {
  const ordinals = new BookingOrdinals();
  const lines = [
    line,
    { ...line, amount: { ...line.amount, value: '9.00' } },
    line,
    { ...line, movementId: 'x1' },
  ];
  expect(lines.map((one) => ordinals.next(one))).toEqual([1, 1, 2, 1]);
});

test('a notification and a statement line of one movement are one break', () => {
  const { found: told } = orphanOfNotification(notification, 'NOTIFIED_DEBIT');
  const { found } = booked();
  expect(told).toMatchObject({ class: 'ORPHAN_AT_BANK', subCase: 'NOTIFIED_DEBIT', originId: null });
  expect(found).toMatchObject({
    class: 'ORPHAN_AT_BANK',
    subCase: 'DEBIT_ON_STATEMENT',
    amount: line.amount,
    evidence: { sha256: FILE_SHA256, at: AS_OF },
  });
  expect(told.key).toBe('ORPHAN_AT_BANK:MOVEMENT:880099');
  expect([found.key, found.fact]).toEqual([told.key, told.fact]);
  expect(told.detail).toMatch(
    /^The bank notified and confirms a debit that nobody ordered; type DEBIT; movement 880099;/,
  );
});

test('the key is the bank’s id, else ours, else what the booking says with its number among equals', () => {
  const key = (change: object, ordinal = 1) => booked(change, { ordinal }).found.key;
  expect(key({ movementId: null, networkId: 'N1', originId: 5 })).toBe('ORPHAN_AT_BANK:NETWORK:N1');
  expect(key({ movementId: null, originId: 5 })).toBe('ORPHAN_AT_BANK:ORIGIN:5');
  const bare = `ORPHAN_AT_BANK:BOOKING:${AS_OF}:032:75.50`;
  expect([key({ movementId: null }), key({ movementId: null }, 2)]).toEqual([`${bare}:1`, `${bare}:2`]);
  expect(key({ movementId: null, account: 'ab12cd34' })).toBe(`${bare}:1`);
  const { key: delivery } = orphanOfNotification(
    { ...notification, movementIds: [] },
    'NOTIFIED_DEBIT',
  ).found;
  expect(delivery).toBe('ORPHAN_AT_BANK:DELIVERY:evt-1');
});

test('suggestions are shown to a person, and no account is', () => {
  const { detail, originId } = booked({ movementId: null }, { suggested: [4, 9] }).found;
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
