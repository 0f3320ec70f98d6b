import { createHash } from 'node:crypto';
import { canonicalJson } from '../../domain/canonical-json';
import type { Json } from '../../domain/canonical-json';
import type { JournalContext } from '../context';
import { toOriginId } from '../rows';

/** The format of times in the chain's text: UTC, to the microsecond. */
const AT = `to_char(r.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * The records that the chain covers. A member added by a later version must be null in earlier rows: nulls are left
 * out, so existing links stay valid.
 */
const LINES = {
  result: `'kind', 'final', 'result', r.result`,
  annulment: `'kind', 'annulment', 'id', r.id, 'movementId', r.movement_id, 'network', r.network,
    'networkId', r.network_id, 'amount', r.amount::text, 'currency', r.currency, 'evidenceNumber', r.evidence_number,
    'bankStatus', r.bank_status, 'bankPostingAt', r.bank_posting_at, 'bankCompletedAt', r.bank_completed_at,
    'evidenceSha256', r.evidence_sha256, 'decidedBy', r.decided_by, 'operators', to_jsonb(r.operators),
    'reason', r.reason`,
  decision: `'kind', 'decision', 'seq', r.seq, 'id', r.id, 'outcome', r.outcome, 'action', r.action,
    'operator', r.operator, 'operators', to_jsonb(r.operators), 'reason', r.reason, 'bankStatus', r.bank_status,
    'flags', to_jsonb(r.flags), 'afterNumber', r.after_number, 'line', r.line, 'signature', r.signature,
    'keyFingerprint', r.key_fingerprint`,
} as const;

const unnumberedText = Object.keys(LINES)
  .map(
    (table) => `(
  select '${table}' as "table", r.origin_id, r.record_id::text from giro.${table} r
  where r.record_id is null or r.record_id < 1 order by r.record_id limit 100)`,
  )
  .join(' union all ');

export interface UnnumberedRecord {
  readonly table: string;
  readonly originId: number;
  /** Decimal digits; null: none. */
  readonly recordId: string | null;
}

/** Records with a number below 1, which no link ever covers: the first hundred of each table. */
export async function unnumberedRecords({ database }: JournalContext): Promise<readonly UnnumberedRecord[]> {
  const rows = await database.run<{ table: string; origin_id: string; record_id: string | null }>(
    { name: 'unnumbered-records', text: unnumberedText },
    [],
  );
  return rows.map(({ table, origin_id, record_id }) => ({
    ...{ table, originId: toOriginId(origin_id), recordId: record_id },
  }));
}

/** docs/signatures.md shows this query. */
const linesText = `
select record_id::text, line from (${Object.entries(LINES)
  .map(
    ([table, members]) => `(
  select r.record_id, jsonb_strip_nulls(jsonb_build_object('record', r.record_id::text,
    'at', ${AT}, 'originId', r.origin_id, ${members})) as line
  from giro.${table} r where r.record_id > $1::bigint and r.record_id <= $2::bigint
  order by r.record_id limit $3::integer)`,
  )
  .join(' union all ')}) found
order by found.record_id limit $3::integer`;

/** Results, annulments and decisions with `after` < record number <= `upTo`, both in decimal digits. */
export interface ChainRange {
  readonly after: string;
  readonly upTo: string;
}

const LINES_AT_ONCE = 1_000;

/** SHA-256 of the bytes of a link: the hash of the link before, then a line of canonical JSON for each record. */
export async function hashOfLink(
  { database }: Pick<JournalContext, 'database'>,
  previousSha256: string,
  { after, upTo }: ChainRange,
): Promise<{ readonly sha256: string; readonly records: number }> {
  const hash = createHash('sha256').update(previousSha256, 'hex');
  let records = 0;
  for (let from = after; ;) {
    const rows = await database.run<{ record_id: string; line: Json }>(
      { name: 'chain-lines', text: linesText },
      [from, upTo, LINES_AT_ONCE],
    );
    for (const { line } of rows) hash.update(`${canonicalJson(line)}\n`, 'utf8');
    records += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < LINES_AT_ONCE) return { sha256: hash.digest('hex'), records };
    from = last.record_id;
  }
}
