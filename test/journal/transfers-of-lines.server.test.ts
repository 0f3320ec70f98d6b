import type { StatementLine } from '../../src/reconciliation/books';
import { matchLines } from '../../src/reconciliation/statement/match-lines';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { aResult, accept, answered, ask, movement, openNew } from './support/transfers';

/** Which transfer a line of a bank's statement belongs to, by the ids in the journal. */

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const line = (ids: Partial<StatementLine>): StatementLine => ({
  ...{ line: 2, originId: null, movementId: null, networkId: null, direction: 'debit', account: null },
  ...{ amount: { currency: '032', value: '1500.25' }, bookedAt: '2026-03-03T13:15:00.000Z' },
  counterpartyAccount: null,
  ...ids,
});
async function ownerOf(ids: Partial<StatementLine>): Promise<number | null> {
  const lines = [line(ids)];
  return matchLines(lines, await db.journal.transfersOfLines(lines)).matched[0]?.originId ?? null;
}

test('an id of any answer that matches, even if later answers do not repeat it', async () => {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('IN_PROGRESS', { movementId: 'm-1', networkId: 'n-1' }));
  await ask(db.journal, originId, 2, movement('COMPLETED', { movementId: null, networkId: null }));
  expect(await ownerOf({ movementId: 'm-1' })).toBe(originId);
  expect(await ownerOf({ networkId: 'n-1' })).toBe(originId);
  expect(await ownerOf({ originId })).toBe(originId);
  expect(await ownerOf({ movementId: 'n-1', networkId: 'm-1' })).toBeNull();
});

test('an id of an answer with an echo mismatch only if operators have accepted it as the result', async () => {
  const [held, accepted] = [await openNew(db.journal), await openNew(db.journal)];
  for (const [originId, id] of [
    [held, 'm-2'],
    [accepted, 'm-3'],
  ] as const) {
    const mismatch = {
      echo: 'mismatch',
      echoFields: ['destination.address'],
      movementId: id,
      networkId: null,
    } as const;
    await ask(db.journal, originId, 1, answered('COMPLETED', mismatch));
  }
  await accept(db.journal, accepted, 'accept-completed', ['ECHO_MISMATCH']);
  await db.journal.recordResult(
    aResult(accepted, 'COMPLETED', {
      ...{ movementId: 'm-3', networkId: null, decidedBy: 'operators', reason: 'bank letter 17' },
    }),
  );
  expect(await ownerOf({ movementId: 'm-2' })).toBeNull();
  expect(await ownerOf({ movementId: 'm-3' })).toBe(accepted);
});
