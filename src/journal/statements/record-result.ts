import type { TransferResult } from '../../domain/transfer/result';
import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';
import { toResult } from '../rows';

/** `result`: what the journal holds now; `conflict`: this differs from the result to record. */
export interface RecordedResult {
  readonly result: TransferResult;
  readonly conflict: boolean;
  /** Written by this call, not by an earlier call that this one repeats. */
  readonly isNew: boolean;
}

const text = `
with ended as (
  insert into giro.result (origin_id, result)
  select $1::bigint, $2::jsonb
  where not exists (select from giro.result where origin_id = $1::bigint)
  on conflict (origin_id) do nothing
  returning result
)
select result, true as is_new from ended
union all
select result, false from giro.result where origin_id = $1::bigint`;

/**
 * Records how a transfer ended, or returns the existing result. A result by operators needs the acceptance of its
 * action as their last recorded decision. Use `recordAnnulment` for FAILED: the database accepts no FAILED without
 * its annulment.
 */
export async function recordResult(
  { database }: JournalContext,
  result: TransferResult,
): Promise<RecordedResult> {
  return againWhenLost(`result of transfer ${result.originId}`, async () => {
    const [row] = await database.run<RecordedRow>({ name: 'record-result', text }, [
      result.originId,
      JSON.stringify(result),
    ]);
    return row === undefined ? null : recorded(row, result);
  });
}

export interface RecordedRow {
  readonly result: TransferResult;
  readonly is_new: boolean;
}

/** The journal assigns the annulment's id, so it is not compared. */
export function recorded(row: RecordedRow, wanted: Omit<TransferResult, 'annulmentId'>): RecordedResult {
  const held = toResult(row.result);
  const same =
    held.status === wanted.status &&
    held.movementId === wanted.movementId &&
    held.networkId === wanted.networkId &&
    held.decidedBy === wanted.decidedBy;
  return { result: held, conflict: !same, isNew: row.is_new };
}
