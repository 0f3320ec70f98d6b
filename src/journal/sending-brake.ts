/** The emergency brake: while sending is stopped no create can be claimed; look-ups and withdrawals can. */
export interface SendingBrake {
  sendingState(): Promise<SendingState>;
  /**
   * Sets the brake, with a line in the audit trail. Once this has returned, every create was either claimed before or
   * is held back. A state that is there already stays, with the reason it was set for.
   */
  setSending(change: SendingChange): Promise<SendingState>;
  /** Creates of open transfers that were claimed and have no answer yet: they may still reach the bank. */
  createsUnderWay(): Promise<number>;
  /** How many open transfers there are of which no create may have reached the bank. */
  countUnsent(): Promise<number>;
  /** Open transfers of which no create may have reached the bank, oldest first. */
  unsentTransfers(filter: { readonly limit: number }): Promise<readonly number[]>;
}

export interface SendingChange {
  readonly stopped: boolean;
  /** 1–100 characters. */
  readonly operator: string;
  /** 1–200 characters, without personal data: every transfer that waits shows it. */
  readonly reason: string;
}

/** The last change; nulls: it was never stopped. */
export interface SendingState {
  readonly stopped: boolean;
  /** ISO UTC. */
  readonly since: string | null;
  readonly operator: string | null;
  readonly reason: string | null;
}
