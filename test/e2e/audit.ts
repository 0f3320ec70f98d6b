import type { GiroEnvironment } from '../../dev/giro-environment';

export interface AuditedRequest {
  readonly service: string;
  readonly outcome: string;
  readonly bodySha256: string | null;
  /** Workflow time at the start of the request, ms. */
  readonly atMs: number;
  /** Time since the start of the request before, in workflow time. */
  readonly gapMs: number | null;
  /** The status that the bank reported before; null: none. */
  readonly after: string | null;
}

/** The bank's log of arrivals for one transfer, in workflow time (its timers may have been skipped). */
export function auditRequests({ bank }: GiroEnvironment, originId: number): AuditedRequest[] {
  const records = bank.book.requests(String(originId));
  let word: string | null = null;
  return records.map((record, i) => {
    const atMs = Date.parse(record.giroTime ?? '');
    const before = records[i - 1];
    word = before?.movementStatus ?? word;
    return {
      service: record.service,
      outcome: record.outcome,
      bodySha256: record.bodySha256,
      atMs,
      gapMs: before === undefined ? null : atMs - Date.parse(before.giroTime ?? ''),
      after: before === undefined ? null : word,
    };
  });
}

export const creates = (requests: readonly AuditedRequest[]): AuditedRequest[] =>
  requests.filter(({ service }) => service === 'transfer-request');
