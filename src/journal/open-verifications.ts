/** The verifications that are tracked and have no outcome, in turn: what recovery walks, and marks as it goes. */
export interface OpenVerifications {
  /** Those whose last look is longest ago, after `after` and before `notSince`. */
  openVerificationsInTurn(page: VerificationTurnPage): Promise<VerificationTurnsTaken>;
  /** They have been looked at now, and are last in turn. One that has ended or was stopped is passed over. */
  markVerificationsLookedAt(requestIds: readonly string[]): Promise<void>;
  isOpenVerification(requestId: string): Promise<boolean>;
}

/** A place in the turns. The time is PostgreSQL's own text, to the microsecond. */
export interface VerificationTurn {
  readonly lookedAt: string;
  readonly requestId: string;
}

export interface VerificationTurnPage {
  readonly after: VerificationTurn | null;
  /** `takenAt` of a walk's first page: what was looked at since is not met again. Null: now. */
  readonly notSince: string | null;
  readonly limit: number;
}

export interface VerificationTurnsTaken {
  readonly takenAt: string;
  readonly turns: readonly VerificationTurn[];
}
