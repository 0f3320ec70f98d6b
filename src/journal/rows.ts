import type { TransferResult } from '../domain/transfer/result';
import { TRANSFER_RESULT_STATUSES } from '../domain/transfer/result';

/**
 * Rows of tables that several statements read, in the types of pg: bigint as text, timestamptz as Date, jsonb as
 * value. A row that only one file reads is declared there.
 */
export interface TransferRow {
  readonly origin_id: string;
  readonly order_sha256: string;
  readonly order_json: unknown;
  /** The order's proof at its receipt; null: none. */
  readonly proof: string | null;
  readonly create_body_sha256: string;
  readonly opened_at: Date;
}

export interface ReconciliationRow {
  readonly as_of: Date;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly is_default_window: boolean;
  readonly statement_id: string | null;
  readonly started_at: Date;
}

/** How columns become values. pg reads bigint as text, because a double may not hold it. */

export function toOriginId(column: string): number {
  const originId = Number(column);
  if (!Number.isSafeInteger(originId))
    throw new Error(`journal: originId ${column} is outside the safe range`);
  return originId;
}

export const toOriginIds = (rows: readonly Pick<TransferRow, 'origin_id'>[]): readonly number[] =>
  rows.map(({ origin_id }) => toOriginId(origin_id));

/** ISO UTC. JSON built by PostgreSQL holds times as text with an offset, a column is a Date. */
export function toIso(time: Date | string): string {
  return (time instanceof Date ? time : new Date(time)).toISOString();
}

export const toIsoOrNull = (time: Date | string | null): string | null =>
  time === null ? null : toIso(time);

/** A stored result, field by field: results of older programs lack later fields. */
export function toResult(stored: Partial<TransferResult>): TransferResult {
  const { originId, status, amount, orderSha256 } = stored;
  if (originId === undefined || amount === undefined || orderSha256 === undefined || status === undefined) {
    throw new Error('journal: a stored result lacks a required field');
  }
  if (!TRANSFER_RESULT_STATUSES.includes(status))
    throw new Error('journal: a stored result has an unknown status');
  return {
    originId,
    status,
    movementId: stored.movementId ?? null,
    network: stored.network ?? null,
    networkId: stored.networkId ?? null,
    amount: { currency: amount.currency, value: amount.value },
    annulmentId: stored.annulmentId ?? null,
    decidedBy: stored.decidedBy ?? null,
    reason: stored.reason ?? null,
    orderSha256,
  };
}

/** SQL: whole milliseconds since `column`, rounded down so that a wait computed from it is never too short. */
export const msSince = (column: string): string =>
  `greatest(0, floor(extract(epoch from clock_timestamp() - ${column}) * 1000))::float8`;
