import { randomBytes } from 'node:crypto';
import { verifyBooks } from '../../src/audit/verify-books';
import type { AuditReport } from '../../src/audit/verify-books';
import { ourBank } from '../../src/bank/our-bank';
import type { KeyRing } from '../../src/codec/key-ring';
import { createEveryJournal } from '../../dev/every-identity';
import { PATIENT, openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { anOrder, openNew } from '../journal/support/transfers';

const RING: KeyRing = { active: 'k1', keys: new Map([['k1', randomBytes(32)]]) };

let db: TestJournal;
let ids: number[];
beforeAll(async () => {
  db = await openTestJournal({ keyRing: RING });
  ids = [await openNew(db.journal), await openNew(db.journal), await openNew(db.journal)];
});
afterAll(() => db.close());

async function verify(keyRing: KeyRing | null): Promise<AuditReport> {
  const { journal, close } = createEveryJournal(db.url, { keyRing, timeouts: PATIENT });
  try {
    return await verifyBooks({
      ...{ journal, from: null, expect: null },
      means: {
        createBody: ourBank.movements.createBody,
        ...{ orderSigners: null, decisionSigners: null, signedSinceMs: null },
      },
    });
  } finally {
    await close();
  }
}

test('with the ring sealed orders are judged', async () => {
  expect(await verify(RING)).toMatchObject({ outcome: 'OK', transfers: 3, notJudged: 0 });
});

test.each([
  ['without a ring', null],
  ['with a ring that lacks their key', { active: 'k2', keys: new Map([['k2', randomBytes(32)]]) }],
])('%s they are not, and the audit does not call the books in order', async (_, ring) => {
  expect(await verify(ring)).toMatchObject({
    outcome: 'PARTIAL',
    transfers: 3,
    notJudged: 3,
    differences: 0,
  });
});

test('an order of another transfer, one in clear, and one that was changed', async () => {
  const [first, second, third] = ids as [number, number, number];
  await db.sql('drop trigger append_only on giro.transfer');
  await db.sql(
    `update giro.transfer set order_json = (select o.order_json from giro.transfer o where o.origin_id = $2)
     where origin_id = $1`,
    [first, second],
  );
  await db.sql('update giro.transfer set order_json = $2 where origin_id = $1', [
    third,
    JSON.stringify(anOrder(third)),
  ]);
  expect(await verify(RING)).toMatchObject({
    ...{ outcome: 'DIFFERS', differences: 2, byRule: { 'order-sealed': 2 } },
    first: { rule: 'order-sealed', table: 'transfer', originId: first, kept: 'sealed, does not open' },
  });
});
