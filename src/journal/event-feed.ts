import type { TransferResult } from '../domain/transfer/result';
import type { Incident } from './statements/incidents';

export interface EventPage {
  readonly after: string | null;
  readonly limit: number;
}

interface EventOf<Kind extends string> {
  /** Names this event; pass it as `after` to continue after it. Opaque text of at most 64 characters. */
  readonly cursor: string;
  readonly kind: Kind;
  /** ISO UTC: when it was recorded. Cursors, not times, give the order. */
  readonly at: string;
  readonly originId: number;
}

/**
 * What happened to transfers, in one order that never changes, for consumers that do not wait for workflows
 * (docs/events.md). No event holds an account, a tax id, the name of a party or the text of operators.
 */
export type GiroEvent =
  FinalEvent | DecisionEvent | FlagsEvent | AnnulmentEvent | IncidentEvent | IncidentAcknowledgedEvent;

/** A transfer ended. */
export interface FinalEvent extends EventOf<'final'> {
  /** As the workflow returned it, without the text of operators. */
  readonly result: TransferResult;
}

/** A transfer's flags changed. */
export interface FlagsEvent extends EventOf<'flags'> {
  readonly raised: readonly string[];
  readonly cleared: readonly string[];
  /** All flags that are open now. */
  readonly open: readonly string[];
}

/** The annulment of a FAILED transfer was recorded; `annulment list` has its accounts. */
export interface AnnulmentEvent extends EventOf<'annulment'> {
  readonly annulment: {
    readonly id: string;
    readonly movementId: string | null;
    readonly network: string | null;
    readonly networkId: string | null;
    /** Decimal string with two decimals. */
    readonly amount: string;
    readonly currency: string;
    readonly bankStatus: string | null;
    readonly bankTimes: { readonly posting: string | null; readonly completed: string | null };
    readonly evidenceSha256: string | null;
    readonly decidedBy: 'bank' | 'operators';
    readonly operators: readonly string[];
  };
}

/**
 * A row of the operators' decisions: a proposal, an acceptance, a resume, a withdrawal, or proposals that were voided
 * without a decision.
 */
export interface DecisionEvent extends EventOf<'decision'> {
  readonly decision: {
    readonly id: string;
    readonly outcome: 'proposed' | 'accepted' | 'resumed' | 'withdrawn' | 'voided';
    /** Null: voided. */
    readonly action: string | null;
    readonly operator: string | null;
    /** All operators of the decision: two for `accepted`. */
    readonly operators: readonly string[];
    readonly bankStatus: string | null;
  };
}

/** The bank contradicted how a transfer ended: a person must look. The result stays as it is. */
export interface IncidentEvent extends EventOf<'incident'> {
  readonly incident: Omit<Incident, 'originId' | 'at' | 'acknowledged'>;
}

/** An operator has dealt with an incident. */
export interface IncidentAcknowledgedEvent extends EventOf<'incident-acknowledged'> {
  readonly incidentId: string;
  readonly operator: string;
}

/** Not a cursor of this journal. Continuing from it could miss events, so the reader must decide what to do. */
export class CursorRefused extends Error {
  override readonly name = 'CursorRefused';
}

/**
 * A cursor names the last event that was read, by its number in the journal and a fingerprint. So a cursor survives a
 * dump and a restore. A journal with another event or no event under this number refuses the cursor.
 */
export interface EventPosition {
  /** `record_id`, decimal digits: a bigint. */
  readonly recordId: string;
  /** 16 hex digits. */
  readonly fingerprint: string;
}

const CURSOR = /^e1-([1-9][0-9]{0,18})-([0-9a-f]{16})$/;

export const toCursor = ({ recordId, fingerprint }: EventPosition): string => `e1-${recordId}-${fingerprint}`;

/** @throws CursorRefused not a text that `toCursor` made */
export function fromCursor(cursor: string): EventPosition {
  const [, recordId, fingerprint] = CURSOR.exec(cursor) ?? [];
  if (recordId === undefined || fingerprint === undefined || BigInt(recordId) > BIGINT_MAX) {
    throw new CursorRefused('this is not a cursor: take one from an event, as it stands');
  }
  return { recordId, fingerprint };
}

/** Largest bigint of PostgreSQL. */
const BIGINT_MAX = 2n ** 63n - 1n;
