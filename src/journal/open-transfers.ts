import type { TransferOrder } from '../domain/order';

/** The transfers without a result, in turn: what recovery walks, and marks as it goes. */
export interface OpenTransfers {
  /** The open transfers whose last look is longest ago, after `after` and before `notSince`. */
  openTransfersInTurn(page: TurnPage): Promise<TurnsTaken>;
  /** They have been looked at now, and are last in turn. One that has ended meanwhile is passed over. */
  markLookedAt(originIds: readonly number[]): Promise<void>;
  /** Null: it has ended, or is not known. */
  unfinishedTransfer(originId: number): Promise<UnfinishedTransfer | null>;
}

/** A place in the turns. The time is PostgreSQL's own text, to the microsecond. */
export interface Turn {
  readonly lookedAt: string;
  readonly originId: number;
}

export interface TurnPage {
  readonly after: Turn | null;
  /** `takenAt` of a walk's first page: what was looked at since is not met again. Null: now. */
  readonly notSince: string | null;
  readonly limit: number;
}

export interface TurnsTaken {
  readonly takenAt: string;
  readonly turns: readonly Turn[];
}

export interface UnfinishedTransfer {
  /** Null: it cannot be read, the key that sealed it is not at hand. */
  readonly order: TransferOrder | null;
  /** The journal may have lost requests of it (`giro.doubt`): the engine may know an end that the journal lost. */
  readonly isDoubted: boolean;
}

/** What has to be said once, by a person, of a journal that was restored from a backup. */
export interface Restorations {
  /** From now on nothing is sent by itself for transfers that were opened before. */
  recordRestoration(): Promise<void>;
}
