import { CONTRADICTIONS, judgeFinal } from '../../src/domain/post-final';
import type { LookupAnswer, SeenMovement } from '../../src/domain/transfer/answers';
import type { TransferResult } from '../../src/domain/transfer/result';

const result = (status: TransferResult['status'], rest: Partial<TransferResult> = {}): TransferResult => ({
  originId: 1,
  status,
  movementId: status === 'COMPLETED' || status === 'FAILED' ? '880011' : null,
  network: null,
  networkId: null,
  amount: { currency: '032', value: '1.00' },
  annulmentId: null,
  decidedBy: 'bank',
  reason: null,
  orderSha256: 'a',
  ...rest,
});
const seen = (status: string, rest: Partial<SeenMovement> = {}): LookupAnswer => ({
  kind: 'movement',
  movement: {
    status,
    movementId: '880011',
    network: null,
    networkId: null,
    postingAt: null,
    completedAt: null,
    echo: 'match',
    echoFields: [],
    evidenceSha256: 'b',
    ...rest,
  },
});
const NOT_FOUND: LookupAnswer = { kind: 'not-found' };
const NO_ANSWER: LookupAnswer = {
  kind: 'no-answer',
  error: { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null },
};
const operators = { decidedBy: 'operators' } as const;

test.each([
  ['COMPLETED, still', result('COMPLETED'), seen('COMPLETED')],
  ['FAILED, still', result('FAILED'), seen('FAILED')],
  ['COMPLETED, an answer without its id', result('COMPLETED'), seen('COMPLETED', { movementId: null })],
  ['REFUSED, not known', result('REFUSED'), NOT_FOUND],
  ['WITHDRAWN, not known', result('WITHDRAWN'), NOT_FOUND],
])('agrees: %s', (_, ended, answer) => {
  expect(judgeFinal(ended, answer)).toEqual({ kind: 'agrees' });
});

test.each([
  ['no answer, COMPLETED', result('COMPLETED'), NO_ANSWER],
  ['no answer, REFUSED', result('REFUSED'), NO_ANSWER],
  ['an incomplete echo confirms nothing', result('COMPLETED'), seen('COMPLETED', { echo: 'incomplete' })],
  ['operators closed it over this word', result('COMPLETED', operators), seen('ON_HOLD')],
  [
    'operators closed it over this echo',
    result('FAILED', operators),
    seen('FAILED', { echo: 'mismatch', echoFields: ['amount'] }),
  ],
  [
    'it differs still, and is not final',
    result('FAILED', operators),
    seen('IN_PROGRESS', { echo: 'mismatch', echoFields: ['amount'] }),
  ],
])('says nothing: %s', (_, ended, answer) => {
  expect(judgeFinal(ended, answer)).toEqual({ kind: 'says-nothing' });
});

test.each([
  ['COMPLETED_THEN_FAILED', result('COMPLETED'), seen('FAILED')],
  ['COMPLETED_THEN_FAILED', result('COMPLETED'), seen('FAILED', { echo: 'incomplete' })],
  ['COMPLETED_THEN_FAILED', result('COMPLETED', operators), seen('FAILED')],
  ['FAILED_THEN_COMPLETED', result('FAILED'), seen('COMPLETED')],
  ['FAILED_THEN_COMPLETED', result('FAILED', operators), seen('COMPLETED', { echo: 'mismatch' })],
  ['COMPLETED_THEN_FAILED', result('COMPLETED', operators), seen('FAILED', { echo: 'mismatch' })],
  ['FINAL_REOPENED', result('COMPLETED'), seen('IN_PROGRESS')],
  ['FINAL_REOPENED', result('FAILED'), seen('UNREADABLE_0A1B2C3D')],
  ['FINAL_NOT_FOUND', result('COMPLETED'), NOT_FOUND],
  ['FINAL_NOT_FOUND', result('FAILED', operators), NOT_FOUND],
  ['REFUSED_BUT_KNOWN', result('REFUSED'), seen('CREATED')],
  ['REFUSED_BUT_KNOWN', result('REFUSED', operators), seen('COMPLETED')],
  ['WITHDRAWN_BUT_KNOWN', result('WITHDRAWN'), seen('CREATED', { echo: 'incomplete' })],
  ['OTHER_MOVEMENT', result('COMPLETED'), seen('COMPLETED', { echo: 'mismatch' })],
  ['OTHER_MOVEMENT', result('COMPLETED'), seen('COMPLETED', { movementId: '7' })],
  [
    'OTHER_MOVEMENT',
    result('COMPLETED', operators),
    seen('COMPLETED', { echo: 'mismatch', movementId: '7' }),
  ],
  ['OTHER_MOVEMENT', result('REFUSED'), seen('COMPLETED', { echo: 'mismatch' })],
  ['OTHER_MOVEMENT', result('REFUSED', operators), seen('COMPLETED', { echo: 'mismatch' })],
  ['OTHER_MOVEMENT', result('WITHDRAWN'), seen('FAILED', { echo: 'mismatch' })],
] as const)('contradicts: %s', (fact, ended, answer) => {
  expect(judgeFinal(ended, answer)).toEqual({ kind: 'contradicts', fact });
});

test('each fact has its sentence and its place in the runbook', () => {
  for (const sentence of Object.values(CONTRADICTIONS)) expect(sentence).toMatch(/^[a-z][^.]{20,}$/);
});
