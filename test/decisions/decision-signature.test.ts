import { readAllowedSigners } from '../../src/decisions/allowed-signers';
import { judgeKeptSignature, pairIssue } from '../../src/decisions/decision-signature';
import { decisionLine, readDecisionLine } from '../../src/domain/transfer/decisions/decision-line';
import type { SignedStatement } from '../../src/domain/transfer/decisions/decision-line';
import { makeKey, makeKeys } from '../../dev/made-ssh-keys';

const AT = Date.UTC(2026, 4, 12, 14, 0);
const statement: SignedStatement = {
  action: 'accept-failed',
  evidenceNumber: 7,
  expiresAt: '2026-05-12T14:30:00Z',
  namespace: 'payments',
  operator: 'ana',
  orderSha256: 'f'.repeat(64),
  originId: 4711,
  reason: 'carta del banco, "12 de mayo", año 2026 €',
};
const line = decisionLine(statement);
const key = makeKey();

function judge({
  signed = line,
  signature = key.sign(signed),
  file = `ana ${key.type} ${key.base64}`,
  atMs = AT,
}: {
  readonly signed?: string;
  readonly signature?: string;
  readonly file?: string;
  readonly atMs?: number;
}) {
  const read = readAllowedSigners(file);
  if (!read.ok) throw new Error(read.reason);
  const judged = judgeKeptSignature({ line: signed, signature, signers: read.signers, atMs });
  return judged.ok ? 'good' : judged.rule;
}

it('the line is canonical JSON and one line feed', () => {
  expect(line).toBe(
    '{"action":"accept-failed","evidenceNumber":7,"expiresAt":"2026-05-12T14:30:00Z","namespace":"payments",' +
      `"operator":"ana","orderSha256":"${'f'.repeat(64)}","originId":4711,` +
      '"reason":"carta del banco, \\"12 de mayo\\", año 2026 €"}\n',
  );
  expect(readDecisionLine(line)).toEqual(statement);
});

it.each([
  ['no line feed', line.trimEnd()],
  [
    'another order of names',
    line
      .replace('"action":"accept-failed",', '')
      .replace('{', '{"action":"resume",')
      .replace('"evidenceNumber":7,', ''),
  ],
  ['a space more', line.replace(',', ', ')],
  ['a field more', line.replace('}', ',"then":1}')],
  ['an escape that is not needed', line.replace('año', 'a\\u00f1o')],
  ['an amount as text', line.replace('4711', '"4711"')],
  ['an array', '[]\n'],
  ['no JSON', 'resume 4711\n'],
])('a line with %s is none', (_, text) => {
  expect(readDecisionLine(text)).toBeNull();
  expect(judge({ signed: text })).toBe('unreadable-line');
});

it.each(makeKeys().map((one) => [one.type, one] as const))('%s: right, by a listed operator', (_, one) => {
  const read = readAllowedSigners(`Ana namespaces="giro-decision" ${one.type} ${one.base64}`);
  if (!read.ok) throw new Error(read.reason);
  expect(judgeKeptSignature({ line, signature: one.sign(line), signers: read.signers, atMs: AT })).toEqual({
    ok: true,
    statement,
    keyFingerprint: one.fingerprint,
  });
});

it.each([
  [
    'of another decision',
    { signature: key.sign(decisionLine({ ...statement, originId: 4712 })) },
    'wrong-signature',
  ],
  [
    'of another action',
    { signature: key.sign(decisionLine({ ...statement, action: 'resume' })) },
    'wrong-signature',
  ],
  [
    'of other evidence',
    { signature: key.sign(decisionLine({ ...statement, evidenceNumber: 8 })) },
    'wrong-signature',
  ],
  ['made for another purpose', { signature: key.sign(line, { namespace: 'git' }) }, 'other-purpose'],
  ['that is none', { signature: 'signed: ana' }, 'unreadable-signature'],
  ['by a key that nobody has', { signature: makeKey().sign(line) }, 'not-listed'],
  ['by the key of somebody else', { file: `luis ${key.type} ${key.base64}` }, 'not-listed'],
  ['by a key for other purposes', { file: `ana namespaces="git" ${key.type} ${key.base64}` }, 'not-listed'],
  [
    'by somebody who has left',
    { file: `ana valid-before="20260512Z" ${key.type} ${key.base64}` },
    'not-valid-then',
  ],
  [
    'before it is valid',
    { file: `ana valid-after="202605121401Z" ${key.type} ${key.base64}` },
    'not-valid-then',
  ],
  [
    'by somebody who left later',
    { file: `ana valid-before="202605121401Z" ${key.type} ${key.base64}` },
    'good',
  ],
  [
    'of somebody with two keys',
    { file: `ana ${makeKey().type} ${makeKey().base64}\nana ${key.type} ${key.base64}` },
    'good',
  ],
  ['a moment before it expires', { atMs: AT + 1_799_999 }, 'good'],
  ['that has expired', { atMs: AT + 1_800_000 }, 'expired'],
  ['that expires in an hour', { atMs: AT - 1_800_000 }, 'good'],
  ['that expires in over an hour', { atMs: AT - 1_800_001 }, 'expires-too-late'],
])('a signature %s', (_, changes, rule) => {
  expect(judge(changes)).toBe(rule);
});

const pairOf = (evidenceNumber: number, keyFingerprint: string) => ({
  line: decisionLine({ ...statement, evidenceNumber }),
  keyFingerprint,
});
const UNSIGNED = { line: null, keyFingerprint: null };

it.each([
  ['neither signed', UNSIGNED, UNSIGNED, null],
  ['signed by two keys over the same evidence', pairOf(7, 'k1'), pairOf(7, 'k2'), null],
  ['the proposal alone signed', pairOf(7, 'k1'), UNSIGNED, 'one of two decisions is not signed'],
  ['the acceptance alone signed', UNSIGNED, pairOf(7, 'k1'), 'one of two decisions is not signed'],
  ['one key', pairOf(7, 'k1'), pairOf(7, 'k1'), 'two decisions with one key'],
  [
    'other evidence',
    pairOf(7, 'k1'),
    pairOf(9, 'k2'),
    'the two decisions were signed over different evidence',
  ],
])('a pair: %s', (_, proposed, accepted, issue) => {
  expect(pairIssue(proposed, accepted)).toBe(issue);
});
