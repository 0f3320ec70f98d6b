import type { AttentionReason } from '../domain/transfer/flags';
import type { Outcome } from '../reconciliation/report';

/** Ages (s) that open transfers are counted beyond: a minute, a quarter of an hour, an hour, a day, a week. */
export const OPEN_AGES_S = [60, 900, 3_600, 86_400, 604_800] as const;

/** Where an open transfer stands: the bank's word if it is one of its reference, `other` for any other, else our phase. */
export const OPEN_STATES = [
  'sending',
  'looking-up',
  'polling',
  'CREATED',
  'IN_PROGRESS',
  'DELAYED',
  'COMPLETED',
  'FAILED',
  'other',
] as const;
export type OpenState = (typeof OPEN_STATES)[number];

/** What the books say as a whole; a state, reason or age that is absent counts zero. */
export interface JournalFigures {
  /** When the journal worked them out, Unix time (s). */
  readonly takenAtS: number;
  readonly open: Readonly<Partial<Record<OpenState, number>>>;
  /** By the ages of `OPEN_AGES_S`: open transfers that are older. */
  readonly olderThanS: Readonly<Record<string, number>>;
  /** Open transfers by open flag; one with two flags counts under both. */
  readonly flagged: Readonly<Partial<Record<AttentionReason, number>>>;
  readonly openVerifications: number;
  /** Verifications in tracking that have an open flag. */
  readonly flaggedVerifications: number;
  /** Contradicted finals that nobody has acknowledged. */
  readonly openIncidents: number;
  /** Breaks that are open or acknowledged, by class. */
  readonly openBreaks: Readonly<Record<string, number>>;
  /** `asOf` of the latest reconciliation that has ended so, Unix time; absent: none yet. */
  readonly reconciledAtS: Readonly<Partial<Record<Outcome, number>>>;
  readonly sendingStopped: boolean;
}

export interface FiguresSource {
  /** Not older than some seconds while anybody asks; they are worked out once for all who ask. */
  figures(): Promise<JournalFigures>;
}
