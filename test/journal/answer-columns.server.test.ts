import fc from 'fast-check';
import { ECHO_FIELDS } from '../../src/domain/echo';
import { REQUEST_ERROR_CODES } from '../../src/domain/transfer/answers';
import type { CreateAnswer, LookupAnswer, SeenMovement } from '../../src/domain/transfer/answers';
import { ANSWER_COLUMNS } from '../../src/journal/statements/record-answer';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { openNew } from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const text = fc.stringMatching(/^[aZ09 "'\\{}ñ-]{1,20}$/);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const retryAfterMs = fc.integer({ min: 0, max: 2 ** 31 });
const error = fc.record({
  code: fc.constantFrom(...REQUEST_ERROR_CODES),
  httpStatus: orNull(fc.integer({ min: 100, max: 599 })),
  retryAfterMs: orNull(retryAfterMs),
});
const movement: fc.Arbitrary<SeenMovement> = fc.record(
  {
    status: text,
    movementId: orNull(text),
    network: orNull(text),
    networkId: orNull(text),
    postingAt: orNull(text),
    completedAt: orNull(text),
    echo: fc.constantFrom('match', 'incomplete', 'mismatch'),
    echoFields: fc.subarray([...ECHO_FIELDS]),
    reported: fc.record({ amount: orNull(text), currency: orNull(text) }),
    evidenceSha256: fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString('hex')),
  },
  {
    requiredKeys: [
      ...(['status', 'movementId', 'network', 'networkId', 'postingAt', 'completedAt'] as const),
      ...(['echo', 'echoFields', 'evidenceSha256'] as const),
    ],
  },
);

const kind = <K extends string>(value: K): fc.Arbitrary<K> => fc.constant(value);
const answer: fc.Arbitrary<CreateAnswer | LookupAnswer> = fc.oneof(
  fc.record({ kind: fc.constantFrom('not-sent', 'unknown'), error }),
  fc.record({ kind: kind('no-answer'), error }),
  fc.record(
    { kind: kind('refused'), httpStatus: fc.integer(), code: orNull(text), retryAfterMs },
    { requiredKeys: ['kind', 'httpStatus', 'code'] },
  ),
  fc.record({ kind: kind('not-found'), retryAfterMs }, { requiredKeys: ['kind'] }),
  fc.record({ kind: kind('answered'), movement, retryAfterMs }, { requiredKeys: ['kind', 'movement'] }),
  fc.record({ kind: kind('movement'), movement, retryAfterMs }, { requiredKeys: ['kind', 'movement'] }),
);

/** What the journal reads back of answers that it would store. */
async function readBack(answers: readonly unknown[]): Promise<readonly unknown[]> {
  const { rows } = await db.sql(
    `select giro.answer_json(row(1, 1, now(), 1, 'd', c.*)::giro.answer) as answer
     from unnest($1::jsonb[]) with ordinality a (answer, n) cross join lateral giro.answer_columns(a.answer) c
     order by a.n`,
    [answers.map((one) => JSON.stringify(one))],
  );
  return rows.map((row) => row['answer']);
}

test('every answer is read as it was recorded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 50, maxLength: 50 }), async (answers) => {
      expect(await readBack(answers)).toEqual(answers);
    }),
    { numRuns: 20 },
  );
});

test('without a Retry-After it is absent, not null', async () => {
  const given: LookupAnswer = { kind: 'not-found', retryAfterMs: null };
  expect(await readBack([given])).toEqual([{ kind: 'not-found' }]);
});

test.each([
  [
    'a movement without its status',
    { kind: 'movement', movement: { echo: 'match', evidenceSha256: '00'.repeat(32) } },
  ],
  ['a movement without evidence', { kind: 'answered', movement: { status: 'CREATED', echo: 'match' } }],
  [
    'evidence of another length',
    { kind: 'answered', movement: { status: 'CREATED', echo: 'match', evidenceSha256: '00' } },
  ],
  [
    'a movement in another kind of answer',
    { kind: 'refused', httpStatus: 422, movement: { movementId: '88' } },
  ],
  ['an unknown kind', { kind: 'perhaps' }],
  ['no kind', {}],
])('refused: %s', async (_what, given) => {
  const originId = await openNew(db.journal);
  await db.sql(`insert into giro.request (origin_id, number, kind, run_id) values ($1, 1, 'create', 'run')`, [
    originId,
  ]);
  await expect(
    db.sql(
      `insert into giro.answer (origin_id, number, digest, ${ANSWER_COLUMNS})
       select $1::bigint, 1, 'd', c.* from giro.answer_columns($2) c`,
      [originId, JSON.stringify(given)],
    ),
  ).rejects.toMatchObject({ code: expect.stringMatching(/^(23502|23514|GR002)$/) as string });
});
