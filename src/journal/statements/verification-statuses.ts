import type { Meaning } from '../../domain/verification/status-map';

/**
 * Rows of `giro.verification_status` to read. A status has more than one if its meaning changed, or if a later answer
 * with the same status ended the verification.
 */
export const STATUS_ROWS_MAX = 200;
/** Statuses to return from these rows. */
const SPANS_MAX = 50;

/** A status as JSON built by PostgreSQL. */
export interface StatusRow {
  readonly status: string;
  readonly meaning: Meaning | 'unmapped';
  readonly statusAt: string | null;
  readonly recordedAt: string;
}

/** A status with the first and the last row of its unbroken series; rows oldest first, the last 50 statuses. */
export function spans<Row extends StatusRow>(
  rows: readonly Row[],
): readonly { readonly first: Row; readonly last: Row }[] {
  const found: { first: Row; last: Row }[] = [];
  for (const row of rows) {
    const span = found.at(-1);
    if (span?.last.status === row.status) span.last = row;
    else found.push({ first: row, last: row });
  }
  return found.slice(-SPANS_MAX);
}

/**
 * SQL: the result of a verification as JSON, from its outcome `o` and that outcome's status `ended`; null: it is
 * open.
 */
export const VERIFICATION_RESULT_JSON = `case when o.request_id is not null then jsonb_build_object(
    'requestId', o.request_id, 'outcome', o.outcome, 'status', ended.status,
    'statusDate', to_char(ended.status_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) end`;
