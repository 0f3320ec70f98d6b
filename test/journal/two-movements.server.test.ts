import type { CreateAnswer, LookupAnswer } from '../../src/domain/transfer/answers';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { aDecision, answered, aResult, ask, factsOn, movement, openNew, UNKNOWN } from './support/transfers';

/** Two movement ids in answers to our requests, whatever their echo: the database refuses every end by the bank. */

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const WRONG = { echo: 'mismatch', echoFields: ['amount'] } as const;
const SPARSE = { echo: 'incomplete', echoFields: ['details'] } as const;
const id = (movementId: string) => ({ movementId });

type Answers = readonly (CreateAnswer | LookupAnswer)[];

async function told(answers: Answers): Promise<number> {
  const originId = await openNew(db.journal);
  for (const [index, answer] of answers.entries()) await ask(db.journal, originId, index + 1, answer);
  return originId;
}

/** COMPLETED, or FAILED with its annulment, after one more look-up reported it for movement 33. */
async function end(originId: number, status: 'COMPLETED' | 'FAILED', number: number): Promise<unknown> {
  await ask(db.journal, originId, number, movement(status, id('33')));
  const result = aResult(originId, status, id('33'));
  return result.status === 'FAILED'
    ? db.journal.recordAnnulment({
        result: { ...result, status: 'FAILED' },
        evidenceNumber: number,
        operators: [],
      })
    : db.journal.recordResult(result);
}

describe.each(['COMPLETED', 'FAILED'] as const)('%s is refused', (status) => {
  test.each<readonly [string, Answers]>([
    ['a match', [UNKNOWN, movement('IN_PROGRESS', id('11'))]],
    ['an incomplete answer', [UNKNOWN, movement('IN_PROGRESS', { ...SPARSE, ...id('11') })]],
    ['a mismatch', [UNKNOWN, movement('IN_PROGRESS', { ...WRONG, ...id('11') })]],
    ['the answer of a create', [answered('CREATED', id('11'))]],
    ['the wrong answer of a create', [answered('CREATED', { ...WRONG, ...id('11') })]],
  ])('when another id was in %s', async (_, answers) => {
    const originId = await told(answers);
    await expect(end(originId, status, answers.length + 1)).rejects.toThrow(/two movement ids/);
    expect((await factsOn(db.journal, originId)).bank.echo).toMatchObject({
      movementIds: ['11', '33'],
      isMismatched: true,
    });
  });

  test('after a resume of another flag, and not after one of the mismatch', async () => {
    const answers = [UNKNOWN, movement('IN_PROGRESS', { ...WRONG, ...id('11') })];
    const resumed = async (...flags: Parameters<typeof aDecision>[3] & object) => {
      const originId = await told(answers);
      await db.journal.recordDecision(originId, aDecision('resumed', 'resume', ['ana'], flags));
      return originId;
    };
    await expect(end(await resumed('OPEN_TOO_LONG'), status, 3)).rejects.toThrow(/two movement ids/);
    expect(await end(await resumed('ECHO_MISMATCH'), status, 3)).toMatchObject({ conflict: false });
  });

  test('not by one id that is reported again and again, nor by answers without one', async () => {
    const originId = await told([
      answered('CREATED', { ...WRONG, ...id('33') }),
      movement('IN_PROGRESS', { ...SPARSE, movementId: null }),
      movement('IN_PROGRESS', id('33')),
    ]);
    expect(await end(originId, status, 4)).toMatchObject({ conflict: false });
  });
});
