import fc from 'fast-check';
import { ECHO_FIELDS } from '../../src/domain/echo';
import { REQUEST_ERROR_CODES } from '../../src/domain/transfer/answers';
import type { CreateAnswer, LookupAnswer, SeenMovement } from '../../src/domain/transfer/answers';
import { insertAnswer } from './support/insert-answer';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';

let db: TestJournal;
let next = 1;
beforeAll(async () => {
  db = await openTestJournal();
  await db.sql('set session_replication_role = replica');
});
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

/** Inserts the answers under the next numbers, with constraints but without guards; returns what is read back. */
async function readBack(answers: readonly (CreateAnswer | LookupAnswer)[]): Promise<readonly unknown[]> {
  const from = (next += answers.length) - answers.length;
  for (const [index, one] of answers.entries())
    await insertAnswer(db.sql, { originId: 1, number: from + index, answer: one });
  const { rows } = await db.sql(
    'select giro.answer_json(a) as answer from giro.answer a where a.number >= $1 order by a.number',
    [from],
  );
  return rows.map((row) => row['answer']);
}

test('every answer is read as it was recorded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 20, maxLength: 20 }), async (answers) => {
      expect(await readBack(answers)).toEqual(answers);
    }),
    { numRuns: 25 },
  );
});

const SEEN: SeenMovement = {
  ...{ status: 'CREATED', movementId: '88', network: 'COELSA', networkId: null },
  ...{ postingAt: '2026-01-05T10:00:00Z', completedAt: null },
  ...{ echo: 'match', echoFields: [], evidenceSha256: 'ab'.repeat(32) },
};

test('a Retry-After of null is left out', async () => {
  expect(await readBack([{ kind: 'not-found', retryAfterMs: null }])).toEqual([{ kind: 'not-found' }]);
});

test('a member that no column and no type knows is kept', async () => {
  const given = { kind: 'movement', movement: { ...SEEN, later: { is: [null] } }, later: null } as const;
  expect(await readBack([given])).toEqual([given]);
});

const NOT_FOUND = {
  ...{ kind: 'not-found', bank_status: null, movement_id: null, echo: null, evidence_sha256: null },
};
const ROW = {
  ...{ kind: 'movement', bank_status: 'CREATED', movement_id: '88', echo: 'match' },
  ...{ evidence_sha256: Buffer.alloc(32), details: null as string | null },
};

test.each<[string, Partial<Record<keyof typeof ROW, unknown>>]>([
  ['a movement without its status', { bank_status: null }],
  ['a movement without its echo', { echo: null }],
  ['a movement without evidence', { evidence_sha256: null }],
  ['evidence of another length', { evidence_sha256: Buffer.alloc(31) }],
  ['a movement in another kind of answer', { kind: 'not-found' }],
  ['the same in its details', { ...NOT_FOUND, details: '{"movement": {"echoFields": []}}' }],
  ['another kind in its details', { details: '{"kind": "not-found"}' }],
  ['details that are no object', { details: '[]' }],
  ['details of a movement that are null', { details: '{"movement": null}' }],
  ['details of a movement that are no object', { details: '{"movement": []}' }],
  ['an unknown kind', { ...NOT_FOUND, kind: 'perhaps' }],
])('a row cannot say %s', async (_what, change) => {
  const row = { ...ROW, ...change };
  await expect(
    db.sql(
      `insert into giro.answer (origin_id, number, digest, ${Object.keys(row).join(', ')})
       values (1, $1, 'd', ${Object.keys(row)
         .map((_, index) => `$${index + 2}`)
         .join(', ')})`,
      [(next += 1), ...Object.values(row)],
    ),
  ).rejects.toMatchObject({ code: '23514' });
});
