/**
 * Why a transfer needs a person. Most urgent first: the search attribute `GiroAttentionReason` carries the first that
 * is open.
 */
export const ATTENTION_REASONS = [
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

/** Open flags with the time (ms) each was raised. */
export type Flags = Readonly<Partial<Record<AttentionReason, number>>>;

/** While one of these is open the transfer is held: asked at the delayed cadence, never sent, never final. */
const HOLDING: ReadonlySet<AttentionReason> = new Set<AttentionReason>([
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

export function isHeld(flags: Flags): boolean {
  return openReasons(flags).some((reason) => HOLDING.has(reason));
}
