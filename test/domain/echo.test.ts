import fc from 'fast-check';
import { PARTY_FIELDS, compareEcho } from '../../src/domain/echo';
import { formatAmount } from '../../src/domain/money';
import type { Movement } from '../../src/domain/movement';
import type { TransferOrder } from '../../src/domain/order';

const ORDER: TransferOrder = {
  originId: 4711,
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
  body: { currencyId: '032', amount: '100.10', description: '', concept: 'FAC' },
};

const echoOf = (order: TransferOrder): Movement => ({
  id: '1',
  status: 'COMPLETED',
  hasDetails: true,
  type: null,
  originId: String(order.originId),
  amount: order.body.amount,
  currency: order.body.currencyId,
  network: null,
  networkId: null,
  postingAt: null,
  completedAt: null,
  destination: { address: order.to.address, personIds: [order.to.owner.personId] },
  source: { address: order.from.address, personIds: [order.from.owner.personId] },
});

const compared = (changes: Partial<Movement>) => compareEcho(ORDER, { ...echoOf(ORDER), ...changes });
const verdict = (changes: Partial<Movement>) => {
  const { verdict: word, fields } = compared(changes);
  return { verdict: word, fields };
};
const { destination, source } = echoOf(ORDER);
const NOWHERE = { address: null, personIds: [] };
const WITHOUT_DETAILS = { hasDetails: false, originId: null, amount: null, currency: null };

test.each<[string, Partial<Movement>]>([
  ['as ordered', {}],
  ['100.1', { amount: '100.1' }],
  ['100.100', { amount: '100.100' }],
  ['1.001e2', { amount: '1.001e2' }],
  ['leading zeros in numbers', { amount: '0100.10', originId: '004711', currency: '32' }],
  ['4711.0 and 4.711e3', { originId: '4711.0' }],
  ['4.711e3', { originId: '4.711e3' }],
  ['dashes in a tax id', { destination: { ...destination, personIds: ['20-21834641-4'] } }],
  ['spaces in an account', { source: { ...source, address: '00090016 00000000000017' } }],
  ['one of several owners', { source: { ...source, personIds: ['20218346414', '30714979732'] } }],
  ['no accounts at all', { source: NOWHERE, destination: NOWHERE }],
  ['accounts without owners', { source: { ...source, personIds: [] } }],
  ['owners without accounts', { destination: { ...destination, address: null } }],
])('match: %s', (_, changes) => {
  expect(verdict(changes)).toEqual({ verdict: 'match', fields: [] });
});

test.each<[string, Partial<Movement>, string[]]>([
  ['no details', WITHOUT_DETAILS, ['details']],
  ['no originId', { originId: null }, ['originId']],
  ['no amount and currency', { amount: null, currency: null }, ['amount', 'currency']],
])('incomplete: %s', (_, changes, fields) => {
  expect(verdict(changes)).toEqual({ verdict: 'incomplete', fields });
});

test.each<[string, Partial<Movement>, string[]]>([
  ['another originId', { originId: '4712' }, ['originId']],
  ['an originId that a double would round to ours', { originId: '4711.0000000000000001' }, ['originId']],
  ['a centavo more', { amount: '100.11' }, ['amount']],
  ['a thousandth more', { amount: '100.101' }, ['amount']],
  ['centavos taken for pesos', { amount: '10010' }, ['amount']],
  ['the amount with its sign', { amount: '-100.10' }, ['amount']],
  ['an amount in words', { amount: '100,10' }, ['amount']],
  ['dollars', { currency: '840' }, ['currency']],
  ['a currency in letters', { currency: 'ARS' }, ['currency']],
  [
    'another destination',
    { destination: { ...destination, address: '9990001800000000000024' } },
    ['destination.address'],
  ],
  [
    'an account without its leading zeros',
    { source: { ...source, address: '9001600000000000017' } },
    ['source.address'],
  ],
  ['a masked account', { source: { ...source, address: '000900160000000000****' } }, ['source.address']],
  ['an alias', { destination: { ...destination, address: 'mi.alias.mp' } }, ['destination.address']],
  [
    'another owner of the destination',
    { destination: { ...destination, personIds: ['20509776742'] } },
    ['destination.personId'],
  ],
  [
    'other owners of the source',
    { source: { ...source, personIds: ['20509776742', ''] } },
    ['source.personId'],
  ],
  [
    'source and destination swapped',
    { source: destination, destination: source },
    ['destination.address', 'destination.personId', 'source.address', 'source.personId'],
  ],
  ['a mismatch beside an absent field', { amount: null, originId: '1' }, ['originId']],
  [
    'a mismatch without details',
    { ...WITHOUT_DETAILS, destination: { ...destination, personIds: ['1'] } },
    ['destination.personId'],
  ],
])('mismatch: %s', (_, changes, fields) => {
  expect(verdict(changes)).toEqual({ verdict: 'mismatch', fields });
});

describe('accounts and tax ids that differ', () => {
  test('come with both values, and what agrees stays out', () => {
    const personIds = ['20509776742', '27361705039'];
    expect(compared({ amount: '1', destination: { address: 'mi.alias.mp', personIds } }).differing).toEqual([
      {
        field: 'destination.address',
        ordered: '9990001800000000000017',
        reported: ['mi.alias.mp'],
      },
      { field: 'destination.personId', ordered: '20218346414', reported: personIds },
    ]);
    expect(compared({ source: { address: null, personIds: ['1'] } }).differing).toEqual([
      { field: 'source.personId', ordered: '30714979732', reported: ['1'] },
    ]);
  });

  test.each<[string, Partial<Movement>]>([
    ['a match', {}],
    ['an incomplete echo', { amount: null }],
    ['a mismatch in amount, currency and originId', { amount: '1', currency: '840', originId: '1' }],
  ])('%s has none', (_, changes) => {
    expect(compared(changes).differing).toEqual([]);
  });

  test('each is of a field that is known to be personal', () => {
    const differing = compared({ source: destination, destination: source }).differing;
    expect(differing.map(({ field }) => field)).toEqual(PARTY_FIELDS);
  });

  test('of a list of owners without end the first are kept', () => {
    const personIds = Array.from({ length: 1_000 }, (_, i) => String(i));
    expect(compared({ source: { ...source, personIds } }).differing[0]?.reported).toEqual(
      personIds.slice(0, 20),
    );
  });
});

describe('for every order', () => {
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
  const party = fc.record({ address: digits(22), personId: digits(11) }).map(({ address, personId }) => ({
    addressType: 'CBU_CVU' as const,
    address,
    owner: { personIdType: 'CUI' as const, personId },
  }));
  const orders: fc.Arbitrary<TransferOrder> = fc.record({
    originId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    from: party,
    to: party,
    body: fc.record({
      currencyId: fc.constant('032' as const),
      amount: fc.bigInt({ min: 1n, max: 999_999_999_999_999n }).map(formatAmount),
      description: fc.constant(''),
      concept: fc.constant('FAC'),
    }),
  });

  test('its own echo matches, whatever optional parts are absent', () => {
    fc.assert(
      fc.property(orders, fc.boolean(), fc.boolean(), fc.boolean(), (order, noSource, noOwner, noAddress) => {
        const whole = echoOf(order);
        const echo = compareEcho(order, {
          ...whole,
          source: noSource ? NOWHERE : whole.source,
          destination: {
            address: noAddress ? null : whole.destination.address,
            personIds: noOwner ? [] : whole.destination.personIds,
          },
        });
        expect(echo.verdict).toBe('match');
      }),
    );
  });

  test('zeros after the point and separators in ids change nothing', () => {
    fc.assert(
      fc.property(orders, fc.nat({ max: 5 }), (order, zeros) => {
        const whole = echoOf(order);
        const { personId } = order.to.owner;
        const written = `${personId.slice(0, 2)}-${personId.slice(2, 10)}-${personId.slice(10)}`;
        const echo = compareEcho(order, {
          ...whole,
          amount: order.body.amount + '0'.repeat(zeros),
          destination: { ...whole.destination, personIds: [written] },
        });
        expect(echo.verdict).toBe('match');
      }),
    );
  });

  test('one changed digit anywhere is a mismatch that names its field, and only paths', () => {
    fc.assert(
      fc.property(
        orders,
        fc.nat({ max: 5 }),
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        (order, which, at, by) => {
          const whole = echoOf(order);
          const change = (text: string) => {
            const places = [...text.matchAll(/[0-9]/g)].map(({ index }) => index);
            const place = places[at % places.length]!;
            return text.slice(0, place) + String((Number(text[place]) + by) % 10) + text.slice(place + 1);
          };
          const changed: readonly (readonly [string, Partial<Movement>])[] = [
            ['originId', { originId: change(whole.originId!) }],
            ['amount', { amount: change(whole.amount!) }],
            [
              'destination.address',
              { destination: { ...whole.destination, address: change(order.to.address) } },
            ],
            [
              'destination.personId',
              { destination: { ...whole.destination, personIds: [change(order.to.owner.personId)] } },
            ],
            ['source.address', { source: { ...whole.source, address: change(order.from.address) } }],
            [
              'source.personId',
              { source: { ...whole.source, personIds: [change(order.from.owner.personId)] } },
            ],
          ];
          const [path, changes] = changed[which]!;
          expect(compareEcho(order, { ...whole, ...changes })).toMatchObject({
            verdict: 'mismatch',
            fields: [path],
          });
        },
      ),
    );
  });

  test('an absent required field is never a match, and a mismatch wins over it', () => {
    const required = fc.constantFrom('originId', 'amount', 'currency');
    fc.assert(
      fc.property(orders, required, fc.boolean(), (order, field, alsoWrong) => {
        const whole = echoOf(order);
        const echo = compareEcho(order, {
          ...whole,
          ...(alsoWrong ? { destination: { address: '1', personIds: [] } } : {}),
          [field]: null,
        });
        expect(echo.verdict).toBe(alsoWrong ? 'mismatch' : 'incomplete');
      }),
    );
  });
});
