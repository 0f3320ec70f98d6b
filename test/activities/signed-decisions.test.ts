import { refusalOfAcceptedEnd, refusalOfResend, verifyDecision } from '../../src/activities/signed-decisions';
import type { TransferActivityContext } from '../../src/activities/context';
import { readAllowedSigners } from '../../src/decisions/allowed-signers';
import { decisionLine } from '../../src/domain/transfer/decisions/decision-line';
import type { DecisionRequest } from '../../src/domain/transfer/decisions/decision';
import { makeKey } from '../../dev/made-ssh-keys';

/** Two valid signatures of two operators, each over the bank's answer at its time. */
const keys = { ana: makeKey(), luis: makeKey() };
const listed = readAllowedSigners(
  Object.entries(keys)
    .map(([name, { type, base64 }]) => `${name} ${type} ${base64}`)
    .join('\n'),
);
const signers = listed.ok ? listed.signers : [];
const originId = 4711;
const orderSha256 = 'f'.repeat(64);
const expiresAt = new Date(Date.now() + 1_800_000).toISOString();
const said = { action: 'accept-failed', reason: 'letter' } as const;

function signed(
  operator: 'ana' | 'luis',
  evidenceNumber: number,
  action: DecisionRequest['action'] = said.action,
) {
  const line = decisionLine({
    ...{ ...said, action, operator, evidenceNumber, expiresAt, orderSha256, originId, namespace: 'default' },
  });
  const { sign, fingerprint } = keys[operator];
  return { line, signature: sign(line), keyFingerprint: fingerprint };
}

const contextWith = (journal: object): TransferActivityContext =>
  ({
    journal,
    decisionSigners: { namespace: 'default', current: () => signers },
  }) as unknown as TransferActivityContext;

test.each([
  [7, null],
  [9, { code: 'GR002', reason: expect.stringContaining('different evidence') as string }],
])('an end by a proposal over request 7 and an acceptance over %i', async (accepted, refusal) => {
  const row = { ...said, recordedAtMs: Date.now() };
  const decisions = [
    { ...row, outcome: 'proposed', operator: 'ana', operators: ['ana'], ...signed('ana', 7) },
    {
      ...row,
      outcome: 'accepted',
      operator: 'luis',
      operators: ['ana', 'luis'],
      ...signed('luis', accepted),
    },
  ];
  const context = contextWith({
    keptDecisions: () => Promise.resolve({ orderSha256, decisions, isResendDue: false }),
  });
  expect(await refusalOfAcceptedEnd(context, { originId, status: 'FAILED', decidedBy: 'operators' })).toEqual(
    refusal === null ? null : expect.objectContaining(refusal),
  );
});

test.each([
  ['two signed decisions permit', signed('luis', 7, 'resend'), true, null],
  ['without a signature', { line: null, signature: null, keyFingerprint: null }, true, 'it is not signed'],
  ['signed for another action', signed('luis', 7), true, 'another decision'],
  ['that is not needed, unsigned', { line: null, signature: null, keyFingerprint: null }, false, null],
])('a create by a `resend` %s', async (_, signature, isResendDue, says) => {
  const row = { action: 'resend', reason: said.reason, recordedAtMs: Date.now() };
  const proposed = {
    ...row,
    outcome: 'proposed',
    operator: 'ana',
    operators: ['ana'],
    ...signed('ana', 7, 'resend'),
  };
  const accepted = {
    ...row,
    outcome: 'accepted',
    operator: 'luis',
    operators: ['ana', 'luis'],
    ...signature,
  };
  const later = { ...proposed, action: 'accept-not-taken' };
  const kept = { orderSha256, isResendDue, decisions: [proposed, accepted, later] };
  const context = contextWith({ keptDecisions: () => Promise.resolve(kept) });
  expect(await refusalOfResend(context, originId)).toEqual(
    says === null ? null : { code: 'GR002', reason: expect.stringContaining(says) as string },
  );
});

test.each([
  ['an open one of another operator', 'proposed', 9, /other evidence/],
  ['an open one over the same evidence', 'proposed', 7, null],
  ['one that was withdrawn since', 'withdrawn', 9, null],
])('a decision beside a proposal, %s', async (_, last, evidenceNumber, refused) => {
  const { line } = signed('ana', 7);
  const { signature } = signed('luis', evidenceNumber);
  const proposed = { id: '1', outcome: 'proposed', action: 'accept-failed', operator: 'ana' };
  const context = contextWith({
    decisionBasis: () =>
      Promise.resolve({
        ...{ orderSha256, evidenceNumber: 7, usedLines: [line] },
        decisions: last === 'proposed' ? [proposed] : [proposed, { ...proposed, id: '2', outcome: last }],
      }),
  });
  const request = { ...said, operator: 'luis', evidenceNumber, expiresAt, signature };
  const judged = await verifyDecision(context)({ originId, orderSha256, request });
  expect(judged.refused).toEqual(refused === null ? null : expect.stringMatching(refused));
});

const ELSE = /answered something else since request 7/;

test.each([
  ['resume', 'told the same since', 7, null],
  ['resume', 'told something else since', 8, ELSE],
  ['resume', 'lost every answer', 0, null],
  ['resend', 'told something else since', 8, ELSE],
  ['resend', 'lost every answer', 0, ELSE],
  ['withdraw', 'told something else since', 8, null],
] as const)(
  '%s that was signed over request 7, when the journal has %s',
  async (action, _, evidenceNumber, refused) => {
    const context = contextWith({
      decisionBasis: () => Promise.resolve({ orderSha256, evidenceNumber, usedLines: [], decisions: [] }),
    });
    const { signature } = signed('ana', 7, action);
    const request = { ...said, action, operator: 'ana', evidenceNumber: 7, expiresAt, signature };
    const judged = await verifyDecision(context)({ originId, orderSha256, request });
    expect(judged.refused).toEqual(refused === null ? null : expect.stringMatching(refused));
  },
);
