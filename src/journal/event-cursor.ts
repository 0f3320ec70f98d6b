import { CursorRefused } from './event-feed';

/**
 * A cursor names the event it stands behind: its number in the journal and a fingerprint of the event, so that it
 * outlives a dump and a restore, and a journal that has another event under this number, or none, refuses it.
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
