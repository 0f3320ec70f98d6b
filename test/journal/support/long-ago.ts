import type { TransferResult } from '../../../src/domain/transfer/result';
import type { TestJournal } from './open-test-journal';
import { aResult, answered, ask, movement, openNew } from './transfers';

/** Records a result with a time in the past, which only the owner can. */
export async function endLongAgo(db: TestJournal, result: TransferResult, days = 400): Promise<void> {
  await db.sql(
    `insert into giro.result (origin_id, result, recorded_at)
     values ($1, $2, now() - $3::integer * interval '1 day')`,
    [result.originId, JSON.stringify(result), days],
  );
}

/** A transfer that was CREATED, IN_PROGRESS and COMPLETED, and ended this many days ago. */
export async function completedLongAgo(db: TestJournal, days = 400): Promise<number> {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('CREATED', { networkId: null }));
  await ask(db.journal, originId, 2, movement('IN_PROGRESS'));
  await ask(db.journal, originId, 3, movement('COMPLETED'));
  await endLongAgo(db, aResult(originId, 'COMPLETED'), days);
  return originId;
}
