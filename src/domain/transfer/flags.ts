/**
 * Why a transfer needs a person. Most urgent first: the search attribute `GiroAttentionReason` has the first open
 * reason.
 */
export const ATTENTION_REASONS = [
  'ORDER_TAMPERED',
  'JOURNAL_CONFLICT',
  'ECHO_MISMATCH',
  'ECHO_INCOMPLETE',
  'VANISHED',
  'OUTCOME_UNKNOWN',
  'STATUS_UNKNOWN',
  'BANK_UNAUTHORIZED',
  'OPEN_TOO_LONG',
] as const;
export type AttentionReason = (typeof ATTENTION_REASONS)[number];

/** The sentence for operators about each flag. */
export const REASON_SENTENCES: Record<AttentionReason, string> = {
  ORDER_TAMPERED:
    'The order in the journal is not sent: it was altered since its receipt, its proof is not valid, or the current limits forbid it.',
  JOURNAL_CONFLICT:
    'The journal refuses or contradicts what this run knows. Nothing is sent or ended until a person has decided.',
  ECHO_MISMATCH:
    'The bank answers with a movement that differs from the order. The transfer does not end while they differ.',
  ECHO_INCOMPLETE: 'The bank reports a final status without the fields that tie it to the order.',
  VANISHED:
    'The bank knew the movement and does not find it any more. Giro alone does not send the order again.',
  OUTCOME_UNKNOWN: 'It is not known whether the bank took the order. Giro asks until the bank reports it.',
  STATUS_UNKNOWN: 'The bank reports a status that is not in its reference. Giro keeps polling.',
  BANK_UNAUTHORIZED: 'The bank has refused our credentials many times in a row.',
  OPEN_TOO_LONG: 'Open for longer than expected in this status. The transfer continues.',
};

/** Open flags, each with the time (ms) when it was raised. */
export type Flags = Readonly<Partial<Record<AttentionReason, number>>>;

/**
 * While one of these flags is open, the transfer is held: nothing is sent, and no end is recorded. Look-ups continue at
 * the delayed cadence, except for a transfer that was never sent. A hint shortens the gap.
 */
const HOLDING: ReadonlySet<AttentionReason> = new Set<AttentionReason>([
  'ORDER_TAMPERED',
  'JOURNAL_CONFLICT',
  'ECHO_MISMATCH',
  'ECHO_INCOMPLETE',
  'VANISHED',
  'OUTCOME_UNKNOWN',
]);

export function raise(flags: Flags, reason: AttentionReason, atMs: number): Flags {
  return flags[reason] === undefined ? { ...flags, [reason]: atMs } : flags;
}

export function clear(flags: Flags, ...reasons: readonly AttentionReason[]): Flags {
  if (reasons.every((reason) => flags[reason] === undefined)) return flags;
  return Object.fromEntries(
    Object.entries(flags).filter(([reason]) => !reasons.includes(reason as AttentionReason)),
  );
}

export function isRaised(flags: Flags, reason: AttentionReason): boolean {
  return flags[reason] !== undefined;
}

/** Open reasons, most urgent first. */
export function openReasons(flags: Flags): AttentionReason[] {
  return ATTENTION_REASONS.filter((reason) => isRaised(flags, reason));
}

/** Whether the reason holds the transfer; the others are only reported. */
export const isHolding = (reason: AttentionReason): boolean => HOLDING.has(reason);

/** Open reasons that hold the transfer. */
export function holdingReasons(flags: Flags): AttentionReason[] {
  return openReasons(flags).filter(isHolding);
}

export function isHeld(flags: Flags): boolean {
  return holdingReasons(flags).length > 0;
}
