import { createHash } from 'node:crypto';

/** A request to one of the bank's services, as the bank saw it. */
export interface RequestRecord {
  /** From 1, in order of arrival. */
  readonly seq: number;
  /** Name of the service; `unknown`: no service has this path. */
  readonly service: string;
  /** Digits; null: the body names no known movement. */
  originId: string | null;
  /** For a verification query; null: the query names none. */
  requestId: string | null;
  /** Arrival of the headers, ISO UTC with milliseconds. */
  readonly at: string;
  /** The `X-Giro-Time` header. */
  readonly giroTime: string | null;
  /** SHA-256 of the raw body, lower-case hex; null: the body did not arrive completely. */
  bodySha256: string | null;
  /** HTTP status of the answer; null: no answer (yet), or the client had disconnected. */
  status: number | null;
  /** Name of the rule's step, or another outcome; `pending`: not answered yet. */
  outcome: string;
  /** Status of the movement or verification in the answer. */
  movementStatus: string | null;
  /** Id of the movement in the answer, which a rule may have changed. */
  movementId: string | null;
  /** When the answer was handed over, or, if earlier, when the connection ended; ISO UTC. */
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

  /** `status` null: the request ended without an answer. */
  finished(record: RequestRecord, status: number | null): void {
    // A second call means that nobody has received the answer.
    record.status = record.finishedAt === null ? status : null;
    record.finishedAt ??= new Date().toISOString();
  }

  /**
   * The connection ended before the body was complete, or before the answer was handed over. Node.js reports this some
   * time after the bank itself has ended the connection.
   */
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
    // The originIds of requests may become known in another order than the requests arrived.
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
