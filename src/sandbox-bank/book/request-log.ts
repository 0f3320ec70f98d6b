import { createHash } from 'node:crypto';

/** A request to one of the bank's services, as the bank saw it. */
export interface RequestRecord {
  /** From 1, in order of arrival. */
  readonly seq: number;
  /** Name of the service, `unknown` for a path that has none. */
  readonly service: string;
  /** Digits; null when the body names no movement that is known. */
  originId: string | null;
  /** Of a verification query; null: it names none. */
  requestId: string | null;
  /** Arrival of the headers, ISO UTC with milliseconds. */
  readonly at: string;
  /** The `X-Giro-Time` header. */
  readonly giroTime: string | null;
  /** Of the raw body, lower-case hex; null when it did not arrive whole. */
  bodySha256: string | null;
  /** HTTP status that was answered; null: none (yet), or the client had left. */
  status: number | null;
  /** Name of the rule's step, or another outcome; `pending` before. */
  outcome: string;
  /** Status of the movement or verification in the answer. */
  movementStatus: string | null;
  /** Id of the movement as the answer has it, which a rule may have changed. */
  movementId: string | null;
  /** When the answer was handed over or the connection ended, ISO UTC. */
  finishedAt: string | null;
}

const PENDING = 'pending';

/** Every request since the start or the last reset, kept in memory; reads by originId need no scan. */
export class RequestLog {
  private records: RequestRecord[] = [];
  private byOriginId = new Map<string, RequestRecord[]>();
  private lastSeq = 0;

  arrived(service: string, giroTime: string | null): RequestRecord {
    this.lastSeq += 1;
    const record: RequestRecord = {
      seq: this.lastSeq,
      service,
      originId: null,
      requestId: null,
      at: new Date().toISOString(),
      giroTime,
      bodySha256: null,
      status: null,
      outcome: PENDING,
      movementStatus: null,
      movementId: null,
      finishedAt: null,
    };
    this.records.push(record);
    return record;
  }

  bodyRead(record: RequestRecord, body: Buffer): void {
    record.bodySha256 = createHash('sha256').update(body).digest('hex');
  }

  identified(record: RequestRecord, originId: string): void {
    if (record.originId !== null) return;
    record.originId = originId;
    const same = this.byOriginId.get(originId);
    if (same === undefined) this.byOriginId.set(originId, [record]);
    else same.push(record);
  }

  /** `status` null: ended without an answer. */
  finished(record: RequestRecord, status: number | null): void {
    record.status = status;
    record.finishedAt = new Date().toISOString();
  }

  /** The client ended the connection: before the body was complete, or before the answer was handed over. */
  broken(record: RequestRecord): void {
    if (record.outcome === PENDING) record.outcome = 'client-gone';
    this.finished(record, null);
  }

  /** In order of arrival. */
  ofVerification(requestId: string): readonly RequestRecord[] {
    return this.records.filter((record) => record.requestId === requestId);
  }

  /** In order of arrival. `after`: a `seq`, exclusive. */
  list(originId: string | null, after = 0): readonly RequestRecord[] {
    const records = originId === null ? this.records : [...(this.byOriginId.get(originId) ?? [])];
    // Requests may become known by their originId in another order than that of their arrival.
    if (originId !== null) records.sort((a, b) => a.seq - b.seq);
    return after === 0 ? records : records.filter(({ seq }) => seq > after);
  }

  count(originId: string, service: string): number {
    return (this.byOriginId.get(originId) ?? []).filter((record) => record.service === service).length;
  }

  reset(): void {
    this.records = [];
    this.byOriginId = new Map();
  }
}
