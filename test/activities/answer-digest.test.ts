import fc from 'fast-check';
import { answerDigest } from '../../src/activities/answer-digest';
import { REQUEST_ERROR_CODES } from '../../src/domain/transfer/answers';
import type {
  CreateAnswer,
  LookupAnswer,
  RequestError,
  SeenMovement,
} from '../../src/domain/transfer/answers';

type Answer = CreateAnswer | LookupAnswer;

const MOVEMENT: SeenMovement = {
  status: 'IN_PROGRESS',
  movementId: '77',
  network: 'COELSA',
  networkId: 'ABCDEFGHIJKLMNOPQRSTUV',
  postingAt: '2026-01-02T03:04:05Z',
  completedAt: null,
  echo: 'match',
  echoFields: [],
  evidenceSha256: 'a'.repeat(64),
};
const ERROR: RequestError = { code: 'HTTP_STATUS', httpStatus: 503, retryAfterMs: null };

const found = (changes: Partial<SeenMovement> = {}): Answer => ({
  kind: 'movement',
  movement: { ...MOVEMENT, ...changes },
});
const failed = (changes: Partial<RequestError> = {}): Answer => ({
  kind: 'no-answer',
  error: { ...ERROR, ...changes },
});

test('a digest is 32 hex digits, the same each time', () => {
  expect(answerDigest(found())).toMatch(/^[0-9a-f]{32}$/);
  expect(answerDigest(found())).toBe(answerDigest(found({})));
});

test('what changes from answer to answer while nothing happens does not count', () => {
  expect(answerDigest(found({ evidenceSha256: 'b'.repeat(64) }))).toBe(answerDigest(found()));
  expect(answerDigest(failed({ retryAfterMs: 7_000 }))).toBe(answerDigest(failed()));
});

test('a movement that a look-up found is news after a create that was answered with the same', () => {
  expect(answerDigest({ kind: 'answered', movement: MOVEMENT })).not.toBe(answerDigest(found()));
});

test.each<Partial<SeenMovement>>([
  { status: 'COMPLETED' },
  { movementId: '78' },
  { movementId: null },
  { network: null },
  { networkId: 'BBCDEFGHIJKLMNOPQRSTUV' },
  { postingAt: null },
  { completedAt: '2026-01-02T03:04:05Z' },
  { echo: 'incomplete' },
  { echo: 'mismatch', echoFields: ['amount'] },
  { echoFields: ['amount'] },
  { reported: { amount: '1.00', currency: '032' } },
  { reported: { amount: null, currency: null } },
])('a movement with %p is news', (changes) => {
  expect(answerDigest(found(changes))).not.toBe(answerDigest(found()));
});

test('another reported amount or currency is news', () => {
  const digests = [
    { amount: '1.00', currency: '032' },
    { amount: '1.01', currency: '032' },
    { amount: '1.00', currency: '840' },
    { amount: null, currency: '032' },
  ].map((reported) => answerDigest(found({ echo: 'mismatch', echoFields: ['amount'], reported })));
  expect(new Set(digests).size).toBe(4);
});

test('a match has the digest that recorded answers have', () => {
  expect(answerDigest(found())).toBe('994cffd45a18317082cdbe6ca75a86bb');
});

const error: fc.Arbitrary<RequestError> = fc.record({
  code: fc.constantFrom(...REQUEST_ERROR_CODES),
  httpStatus: fc.constantFrom(null, 401, 500, 503),
  retryAfterMs: fc.constantFrom(null, 1_000),
});
const word = fc.constantFrom(null, '1', '2', 'null', '');
const movementParts = {
  status: fc.constantFrom('CREATED', 'COMPLETED', 'FAILED'),
  movementId: word,
  network: word,
  networkId: word,
  postingAt: word,
  completedAt: word,
  echo: fc.constantFrom('match' as const, 'incomplete' as const, 'mismatch' as const),
  echoFields: fc.constantFrom([], ['amount'], ['amount', 'originId']),
  evidenceSha256: fc.constantFrom('a', 'b'),
};
const movement: fc.Arbitrary<SeenMovement> = fc.oneof(
  fc.record(movementParts),
  fc.record({
    ...movementParts,
    reported: fc.record({ amount: word, currency: word }),
  }),
);
const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ kind: fc.constantFrom('answered', 'movement'), movement }),
  fc.record({ kind: fc.constantFrom('not-sent', 'unknown', 'no-answer'), error }),
  fc.record({
    kind: fc.constant('refused' as const),
    httpStatus: fc.constantFrom(400, 422),
    code: fc.constantFrom(null, '400', 'A1'),
  }),
  fc.constant({ kind: 'not-found' as const }),
);

/** The meaning of an answer, expressed differently from the code under test. */
function told(of: Answer): unknown {
  switch (of.kind) {
    case 'answered':
    case 'movement':
      return { kind: of.kind, ...of.movement, evidenceSha256: null };
    case 'not-sent':
    case 'unknown':
    case 'no-answer':
      return { kind: of.kind, ...of.error, retryAfterMs: null };
    case 'refused':
    case 'not-found':
      return of;
  }
}

test('equal if and only if two answers tell the same', () => {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  fc.assert(
    fc.property(answer, answer, (a, b) => {
      expect(answerDigest(a) === answerDigest(b)).toBe(same(told(a), told(b)));
    }),
    { numRuns: 2_000 },
  );
});
