/** A workflow that a notification may be about. */
export interface HintTarget {
  readonly workflowId: string;
  readonly signal: 'movementHint' | 'verificationHint';
}

/**
 * `taken`: the engine has it, durably; `not-open`: there is no such run; `refused`: the engine does not take this very
 * hint now; `unreachable`: not known to be taken, nor is the next one likely to be.
 */
export type HintEnd = 'taken' | 'not-open' | 'refused' | 'unreachable';

/** Hands a hint to the engine. Does not throw for what the engine or the network does. */
export type HintSender = (target: HintTarget, eventId: string) => Promise<HintEnd>;

export const transferTarget = (originId: number): HintTarget => ({
  workflowId: `transfer-${originId}`,
  signal: 'movementHint',
});

export const verificationTarget = (requestId: string): HintTarget => ({
  workflowId: `kyc-${requestId}`,
  signal: 'verificationHint',
});
