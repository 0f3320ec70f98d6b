import type { DecisionRecord } from '../../domain/transfer/decisions/decision';
import type { JournalContext } from '../context';
import { JournalStatementError } from '../errors';
import { againWhenLost } from '../lost-race';

/** Rows are numbered 1, 2, 3… under the transfer's lock; an existing row is not written again. */
const text = `
with known as (
  select exists (select from giro.decision d where d.origin_id = $1::bigint and d.id = $2::text) as recorded
  from giro.transfer t where t.origin_id = $1::bigint
), written as (
  insert into giro.decision (origin_id, seq, id, outcome, action, operator, operators, reason, bank_status, flags,
    after_number, line, signature, key_fingerprint, line_sha256)
  select $1::bigint,
    coalesce((select max(d.seq) from giro.decision d where d.origin_id = $1::bigint), 0) + 1,
    $2::text, $3::text, $4::text, $5::text, $6::text[], $7::text, $8::text, $9::text[], $10::integer,
    $11::text, $12::text, $13::text, encode(sha256(convert_to($11::text, 'UTF8')), 'hex')
  from known where not recorded
  returning id
)
select recorded or exists (select from written) as recorded from known`;

/** SQLSTATE of the guards; what they refuse is after `refused: `. */
const REFUSED = 'GR002';
const RULE = /refused: (.*)$/s;

/** What an operator signed, and the key; the worker has verified the signature. */
export interface DecisionSignature {
  /** With its line feed. */
  readonly line: string;
  /** Armoured. */
  readonly signature: string;
  readonly keyFingerprint: string;
}

/**
 * Records a row of the operators' decisions, once for each id. Not recorded if the transfer is unknown, or if `signed`
 * has expired. After the end, only a resume and voided proposals are still recorded. An acceptance also needs an open
 * proposal of another operator (with `signed`: signed with another key). A signed line counts once for ever: another
 * row with it is refused (23505). `rule`: why a guard refused the row.
 */
export async function recordDecision(
  { database }: JournalContext,
  originId: number,
  record: DecisionRecord,
  signed: DecisionSignature | null = null,
): Promise<{ readonly recorded: boolean; readonly rule?: string }> {
  const { id, outcome, action, operator, operators, reason, bankStatus, flags, afterNumber } = record;
  try {
    return await againWhenLost(`decision of transfer ${originId}`, async () => {
      const [row] = await database.run<{ recorded: boolean }>({ name: 'record-decision', text }, [
        ...[originId, id, outcome, action, operator, operators, reason, bankStatus, flags, afterNumber],
        ...[signed?.line ?? null, signed?.signature ?? null, signed?.keyFingerprint ?? null],
      ]);
      return { recorded: row?.recorded ?? false };
    });
  } catch (error) {
    if (!(error instanceof JournalStatementError) || error.sqlState !== REFUSED) throw error;
    const [, rule = error.message] = RULE.exec(error.message) ?? [];
    return { recorded: false, rule };
  }
}
