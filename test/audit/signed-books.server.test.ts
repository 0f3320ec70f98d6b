import { verifyBooks } from '../../src/audit/verify-books';
import type { AuditReport } from '../../src/audit/verify-books';
import { ourBank } from '../../src/bank/our-bank';
import { readAllowedSigners } from '../../src/decisions/allowed-signers';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';
import type { TransferOrder } from '../../src/domain/order';
import { decisionLine } from '../../src/domain/transfer/decisions/decision-line';
import type { OrderSigner } from '../../src/order-proofs/order-signers';
import { copyJournal } from '../journal/support/copy-journal';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { aDecision, anOpening, newOriginId } from '../journal/support/transfers';
import { BILLING, PAYROLL, proofOf, signerOf } from '../order-proofs/keys';
import { makeKey } from '../../dev/made-ssh-keys';

/** The owner of the database has neither the keys of services nor those of operators. */
const ana = makeKey();
const luis = makeKey('sk-ecdsa-sha2-nistp256@openssh.com');
const mallory = makeKey();
const listed = readAllowedSigners(
  `ana namespaces="giro-decision" ${ana.type} ${ana.base64}\nluis ${luis.type} ${luis.base64}\n`,
);
const DECIDERS = listed.ok ? listed.signers : [];

let books: TestJournal;
let originId: number;
let unsigned: number;
beforeAll(async () => {
  books = await openTestJournal();
  const { journal } = books;
  [originId, unsigned] = [newOriginId(), newOriginId()];
  const opening = anOpening(originId);
  await journal.openTransfer({ ...opening, proof: await proofOf(opening.order) });
  await journal.openTransfer(anOpening(unsigned));
  await signedDecision(books, originId, ana);
  await journal.recordDecision(unsigned, aDecision('proposed', 'accept-failed', ['ana']));
});
afterAll(() => books.close());

async function signedDecision(db: TestJournal, id: number, key: typeof ana): Promise<void> {
  const record = aDecision('proposed', 'accept-failed', ['ana']);
  const line = decisionLine({
    ...{ action: 'accept-failed', operator: 'ana', reason: record.reason, originId: id, evidenceNumber: 0 },
    ...{ expiresAt: new Date(Date.now() + 1_800_000).toISOString(), namespace: 'default' },
    orderSha256: anOpening(id).orderSha256,
  });
  const signed = { line, signature: key.sign(line), keyFingerprint: key.fingerprint };
  expect(await db.journal.recordDecision(id, record, signed)).toEqual({ recorded: true });
}

const verify = (
  { journal }: TestJournal,
  isJudging = true,
  limits: Partial<OrderSigner> = {},
  signedSinceMs: number | null = null,
): Promise<AuditReport> =>
  verifyBooks({
    ...{ journal, from: null, expect: null },
    means: {
      createBody: ourBank.movements.createBody,
      orderSigners: isJudging ? [signerOf(BILLING, limits)] : null,
      decisionSigners: isJudging ? DECIDERS : null,
      signedSinceMs,
    },
  });

async function after(change: (copy: TestJournal) => Promise<unknown>): Promise<AuditReport> {
  const copy = await copyJournal(books);
  try {
    for (const table of ['transfer', 'decision']) await copy.sql(`drop trigger append_only on giro.${table}`);
    await copy.sql('set session_replication_role = replica');
    await change(copy);
    return await verify(copy);
  } finally {
    await copy.close();
  }
}

/** As an owner who rewrites an order so that everything else agrees. */
async function rewritten(copy: TestJournal, order: TransferOrder, proof: string): Promise<void> {
  await copy.sql(
    `update giro.transfer set order_json = $2, order_sha256 = $3, create_body_sha256 = $4, proof = $5
     where origin_id = $1`,
    [
      ...[order.originId, JSON.stringify(order), orderFingerprint(order)],
      ...[bodyFingerprint(ourBank.movements.createBody(order)), proof],
    ],
  );
}
const dearer = (): TransferOrder => {
  const { order } = anOpening(originId);
  return { ...order, body: { ...order.body, amount: '9999999.00' } };
};

test('proofs and signatures are right, and what has none is counted', async () => {
  expect(DECIDERS).toHaveLength(2);
  expect(await verify(books)).toMatchObject({ outcome: 'OK', unsigned: { orders: 1, decisions: 1 } });
  expect(await verify(books, false)).toMatchObject({ outcome: 'OK', unsigned: { orders: 1, decisions: 1 } });
});

test('what has to be signed since a time, and is not, differs; what is older does not', async () => {
  const { rows } = await books.sql(
    `select t.opened_at, d.recorded_at from giro.transfer t join giro.decision d using (origin_id)
     where t.origin_id = $1`,
    [unsigned],
  );
  const [opened, decided] = [Number(rows[0]?.['opened_at']), Number(rows[0]?.['recorded_at'])];
  expect(await verify(books, true, {}, opened)).toMatchObject({
    ...{ outcome: 'DIFFERS', differences: 2, byRule: { 'order-proof': 1, 'decision-signature': 1 } },
    first: { rule: 'order-proof', originId: unsigned, kept: null },
  });
  expect(await verify(books, true, {}, decided + 1)).toMatchObject({ outcome: 'OK' });
  expect(await verify(books, false, {}, opened)).toMatchObject({ outcome: 'OK' });
});

test('limits that a key has got since are none of the books; a key that was retired before is', async () => {
  const another = ['9'.repeat(22)];
  for (const limit of [{ fromAccounts: another }, { toAccounts: another }, { amountMax: '0.01' }])
    expect(await verify(books, true, limit)).toMatchObject({ outcome: 'OK' });
  expect(await verify(books, true, { notAfter: '2020-01-01T00:00:00.000Z' })).toMatchObject({
    first: { rule: 'order-proof', originId, kept: 'PROOF_KEY_RETIRED' },
  });
});

test('a rewritten order with all its hashes is found by its proof, also under a key of the owner’s', async () => {
  const kept = await proofOf(anOpening(originId).order);
  const found = { rule: 'order-proof', table: 'transfer', originId };
  expect(await after((copy) => rewritten(copy, dearer(), kept))).toMatchObject({
    outcome: 'DIFFERS',
    byRule: { 'order-proof': 1, 'decision-signature': 1 },
    first: { ...found, kept: 'PROOF_WRONG' },
  });
  const own = await proofOf(dearer(), PAYROLL);
  expect(await after((copy) => rewritten(copy, dearer(), own))).toMatchObject({
    first: { ...found, kept: 'PROOF_KEY_UNKNOWN' },
  });
});

test.each<[string, (copy: TestJournal) => Promise<unknown>, RegExp, string?]>([
  [
    'of somebody who is not listed',
    async (copy) => {
      const { rows } = await copy.sql('select line from giro.decision where origin_id = $1', [originId]);
      await copy.sql('update giro.decision set signature = $2, key_fingerprint = $3 where origin_id = $1', [
        ...[originId, mallory.sign(String(rows[0]?.['line'])), mallory.fingerprint],
      ]);
    },
    /not listed/,
  ],
  [
    'whose action was changed',
    (copy) => copy.sql(`update giro.decision set action = 'resend' where origin_id = $1`, [originId]),
    /another decision/,
  ],
  [
    'whose line was changed',
    (copy) =>
      copy.sql(`update giro.decision set line = replace(line, '"ana"', '"luis"') where origin_id = $1`, [
        originId,
      ]),
    /wrong/,
  ],
  [
    'that was moved a day ahead',
    (copy) =>
      copy.sql(`update giro.decision set recorded_at = recorded_at + interval '1 day' where origin_id = $1`, [
        originId,
      ]),
    /expired/,
  ],
  [
    'that was copied from another row, under the same signature',
    (copy) =>
      copy.sql(
        `insert into giro.decision (origin_id, seq, id, outcome, action, operator, operators, reason, line, signature,
           key_fingerprint, line_sha256, recorded_at)
         select origin_id, 2, 'copy', outcome, action, operator, operators, reason, line, signature, key_fingerprint,
           'another', recorded_at
         from giro.decision where origin_id = $1`,
        [originId],
      ),
    /used before/,
    'decision 2',
  ],
])('a decision %s is found', async (_, change, says, record = 'decision 1') => {
  expect(await after(change)).toMatchObject({
    outcome: 'DIFFERS',
    first: {
      ...{ rule: 'decision-signature', table: 'decision', originId, record },
      kept: expect.stringMatching(says) as string,
    },
  });
});
