import { orderProofsCheck } from '../../src/doctor/order-proofs-check';
import type { OrderSigner } from '../../src/order-proofs/order-signers';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import {
  anOpening,
  answered,
  ask,
  movement,
  newOriginId,
  NOT_SENT,
  UNKNOWN,
} from '../journal/support/transfers';
import { BILLING, PAYROLL, proofOf, signerOf } from '../order-proofs/keys';

let db: TestJournal;
beforeEach(async () => (db = await openTestJournal()));
afterEach(() => db.close());

const check = (signers: readonly OrderSigner[] | null) =>
  orderProofsCheck({ databaseUrl: db.url, keyRing: null, signers }).run();

async function open(isSigned: boolean): Promise<number> {
  const opening = anOpening(newOriginId());
  await db.journal.openTransfer({ ...opening, proof: isSigned ? await proofOf(opening.order) : null });
  return opening.order.originId;
}

const KEYS = [signerOf(BILLING)];

test('it counts the orders that nobody has sent and that have no good proof', async () => {
  const none = { ok: true, remedy: null };
  expect(await check(KEYS)).toEqual({
    ...none,
    detail:
      'keys that may give orders: 1; orders not sent yet: 0, that may be sent again: 0; each with a good proof',
  });
  const signed = await open(true);
  const unsigned = await open(false);
  await ask(db.journal, unsigned, 1, NOT_SENT);
  expect(await check(KEYS)).toMatchObject({
    ok: false,
    detail: `keys that may give orders: 1; orders not sent yet: 2, that may be sent again: 0; without a good proof: 1 (${unsigned})`,
  });
  expect(await check([signerOf(PAYROLL), signerOf(BILLING, { amountMax: '1.00' })])).toMatchObject({
    ok: false,
    detail: `keys that may give orders: 2; orders not sent yet: 2, that may be sent again: 0; without a good proof: 2 (${signed}, ${unsigned})`,
  });
});

test('and those that may be sent again', async () => {
  const signed = await open(true);
  await ask(db.journal, signed, 1, UNKNOWN);
  const unclear = await open(false);
  await ask(db.journal, unclear, 1, NOT_SENT);
  await ask(db.journal, unclear, 2, UNKNOWN);
  // Operators may have it sent again when the bank forgets it.
  const taken = await open(false);
  await ask(db.journal, taken, 1, answered('CREATED'));
  expect(await check(KEYS)).toMatchObject({
    ok: false,
    detail: `keys that may give orders: 1; orders not sent yet: 0, that may be sent again: 3; without a good proof: 2 (${unclear}, ${taken})`,
  });
  await ask(db.journal, unclear, 3, movement('IN_PROGRESS'));
  await ask(db.journal, taken, 2, movement('COMPLETED'));
  const late = await open(false);
  await db.journal.claimRequest({
    ...{ originId: late, number: 1, kind: 'create', runId: 'run-1', resendWindowMs: -1 },
  });
  await db.sql(`insert into giro.doubt (origin_id, reason) values ($1, 'restored')`, [await open(false)]);
  expect(await check(KEYS)).toMatchObject({
    ok: true,
    detail:
      'keys that may give orders: 1; orders not sent yet: 0, that may be sent again: 1; each with a good proof',
  });
});

test('it pages through many', async () => {
  const first = await open(false);
  await db.sql(
    `insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256)
     select g, repeat('a', 64), order_json, repeat('b', 64)
     from giro.transfer, generate_series($1::bigint + 1, $1::bigint + 2100) g`,
    [first],
  );
  // The second page has no order that may be sent.
  await db.sql(
    `insert into giro.doubt (origin_id, reason) select $1::bigint + g, 'restored' from generate_series(1000, 1999) g`,
    [first],
  );
  const { detail } = await check([signerOf(BILLING)]);
  expect(detail).toContain(
    'orders not sent yet: 1101, that may be sent again: 0; without a good proof: 1101 (',
  );
  expect(detail).toContain(`(${[0, 1, 2, 3, 4].map((more) => first + more).join(', ')}, …)`);
});

test('without the file nothing is counted', async () => {
  await open(false);
  expect(await check(null)).toEqual({
    ...{ ok: true, remedy: null },
    detail: 'orders are not signed (ORDER_SIGNERS_FILE is not set)',
  });
});
