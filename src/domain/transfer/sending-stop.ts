/** The emergency brake as the journal has it: who stopped the sending of creates, when (ISO UTC), and why. */
export interface SendingStop {
  readonly at: string;
  readonly operator: string;
  readonly reason: string;
}

/** A create that the brake holds back, and when it is tried again. */
export interface HeldBackSend {
  readonly stop: SendingStop;
  readonly lookAgainAtMs: number;
  /** Tries that the brake held back, running. */
  readonly times: number;
}
