import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { aDecision, anOpening, newOriginId } from '../journal/support/transfers';
import { decisionLine } from '../../src/domain/transfer/decisions/decision-line';
import { validate } from '../schemas/validate';
import { testServers } from '../support/servers';
import { giro } from './support/memory-io';

/** `transfer show` prints who signed the order, and each decision. */

const KEY = `SHA256:${'a'.repeat(43)}`;
const HEADER = Buffer.from('{"alg":"EdDSA","kid":"billing-2026"}').toString('base64url');
const PROOF = `${HEADER}..${Buffer.alloc(64).toString('base64url')}`;

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const show = (originId: number, ...options: string[]) =>
  giro(['transfer', 'show', String(originId), ...options], {
    env: { TEMPORAL_ADDRESS: testServers().temporalAddress, DATABASE_URL: db.url },
  });

test('the key of the order, and of each decision', async () => {
  const originId = newOriginId();
  const opening = anOpening(originId);
  await db.journal.openTransfer({ ...opening, proof: PROOF });
  const record = aDecision('proposed', 'accept-failed', ['ana']);
  const line = decisionLine({
    ...{ action: 'accept-failed', operator: 'ana', reason: record.reason, originId },
    ...{ evidenceNumber: 0, expiresAt: new Date(Date.now() + 1_800_000).toISOString(), namespace: 'default' },
    orderSha256: opening.orderSha256,
  });
  await db.journal.recordDecision(originId, record, { line, signature: 'armoured', keyFingerprint: KEY });
  await db.journal.recordDecision(originId, aDecision('withdrawn', 'withdraw', ['luis']));
  await db.journal.recordDecision(originId, aDecision('voided', null, []));

  const { stdout } = await show(originId);
  expect(stdout).toMatch(/^ *order signed by: +billing-2026$/m);
  expect(stdout).toMatch(/^DECISION +ACTION +BY +AT +SIGNED WITH$/m);
  expect(stdout).toMatch(new RegExp(`^proposed +accept-failed +ana +\\S+Z +${KEY}$`, 'm'));
  expect(stdout).toMatch(/^withdrawn +withdraw +luis +\S+Z +-$/m);
  expect(stdout).not.toContain('voided');

  const json = JSON.parse((await show(originId, '--json')).stdout) as unknown;
  expect(validate('transfer-report', json)).toBeNull();
  const at = expect.any(String) as string;
  expect(json).toMatchObject({
    orderKeyId: 'billing-2026',
    decisions: [
      { outcome: 'proposed', action: 'accept-failed', operator: 'ana', at, keyFingerprint: KEY },
      { outcome: 'withdrawn', action: 'withdraw', operator: 'luis', at, keyFingerprint: null },
    ],
  });
});

test('nobody signed', async () => {
  const originId = newOriginId();
  await db.journal.openTransfer(anOpening(originId));
  const { stdout } = await show(originId);
  expect(stdout).toMatch(/^ *order signed by: +-$/m);
  expect(stdout).not.toContain('SIGNED WITH');
  expect(JSON.parse((await show(originId, '--json')).stdout)).toMatchObject({
    ...{ orderKeyId: null, decisions: [] },
  });
});
