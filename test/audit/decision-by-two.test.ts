import { TRANSFER_CHECKS, judgeTransfer } from '../../src/audit/transfer-checks';
import type { AuditedTransfer } from '../../src/journal/statements/audited-transfers';
import { decisionLine } from '../../src/domain/transfer/decisions/decision-line';

const means = { createBody: () => '', orderSigners: null, decisionSigners: null, signedSinceMs: null };
const said = { action: 'accept-failed', reason: 'letter' } as const;

const UNSIGNED = { line: null, signature: null, keyFingerprint: null };
const signed = (operator: string, keyFingerprint: string, evidenceNumber = 7) => ({
  line: decisionLine({
    ...{ ...said, operator, evidenceNumber, originId: 4711, orderSha256: 'f'.repeat(64) },
    ...{ expiresAt: '2026-05-12T14:30:00Z', namespace: 'default' },
  }),
  ...{ signature: 'armoured', keyFingerprint },
});

const judge = (proposed: object, accepted: object) =>
  judgeAll([
    { ...said, outcome: 'proposed', operator: 'ana', operators: ['ana'], ...proposed },
    { ...said, outcome: 'accepted', operator: 'luis', operators: ['ana', 'luis'], ...accepted },
  ]);

async function judgeAll(rows: readonly object[]) {
  const decisions = rows.map((row, i) => ({ ...row, seq: i + 1 }));
  const transfer = { originId: 4711, decisions } as unknown as AuditedTransfer;
  const checks = TRANSFER_CHECKS.filter(({ rule }) => rule === 'decision-by-two');
  const { differences } = await judgeTransfer(transfer, means, checks);
  return differences.map(({ record, kept }) => `${record ?? '-'}: ${kept ?? '-'}`);
}

test.each([
  ['neither is signed', UNSIGNED, UNSIGNED],
  ['two keys sign', signed('ana', 'k1'), signed('luis', 'k2')],
])('in order: %s', async (_, proposed, accepted) => {
  expect(await judge(proposed, accepted)).toEqual([]);
});

test.each([
  ['the proposal alone is signed', signed('ana', 'k1'), UNSIGNED, 'one of two decisions is not signed'],
  ['the acceptance alone is signed', UNSIGNED, signed('luis', 'k2'), 'one of two decisions is not signed'],
  ['one key signs both', signed('ana', 'k1'), signed('luis', 'k1'), 'two decisions with one key'],
  [
    'the bank told something else in between',
    signed('ana', 'k1', 7),
    signed('luis', 'k2', 9),
    'the two decisions were signed over different evidence',
  ],
])('differs: %s', async (_, proposed, accepted, kept) => {
  expect(await judge(proposed, accepted)).toEqual([`decision 2: ${kept}`]);
});

describe('a proposal that no longer counted', () => {
  const proposed = { ...said, ...UNSIGNED, outcome: 'proposed', operator: 'ana', operators: ['ana'] };
  const accepted = { ...proposed, outcome: 'accepted', operator: 'luis', operators: ['ana', 'luis'] };

  test.each<[string, object]>([
    ['it was withdrawn', { ...proposed, outcome: 'withdrawn', action: 'withdraw', operator: 'eva' }],
    ['it was voided', { ...proposed, outcome: 'voided', action: null, operator: null }],
    ['its operator has proposed something else since', { ...proposed, action: 'resend', operator: 'Ana' }],
  ])('differs: %s', async (_, between) => {
    expect(await judgeAll([proposed, between, accepted])).toEqual(['decision 3: ana + luis']);
  });

  test('in order: it was proposed again, and others have proposed something else', async () => {
    const others = { ...proposed, action: 'resend', operator: 'eva' };
    expect(await judgeAll([proposed, others, proposed, accepted])).toEqual([]);
  });
});
