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

async function judge(proposed: object, accepted: object) {
  const decisions = [
    { ...said, seq: 1, outcome: 'proposed', operator: 'ana', operators: ['ana'], ...proposed },
    { ...said, seq: 2, outcome: 'accepted', operator: 'luis', operators: ['ana', 'luis'], ...accepted },
  ];
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
