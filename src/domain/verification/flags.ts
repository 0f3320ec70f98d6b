/**
 * Why a verification needs a person. No flag stops the look-ups. Most urgent first: the search attribute
 * `GiroAttentionReason` has the first open reason.
 */
export const VERIFICATION_REASONS = [
  /** The answer is about another request. */
  'ECHO_MISMATCH',
  /** A final status in an answer that does not name its request. */
  'ECHO_INCOMPLETE',
  /** The bank reported a status that means approved or rejected, and then another one. */
  'STATUS_LEFT_FINAL',
  'STATUS_UNKNOWN',
  'REQUEST_NOT_FOUND',
  'BANK_UNAUTHORIZED',
  /** No readable answer for a while. */
  'NO_ANSWER',
  'OPEN_TOO_LONG',
] as const;
export type VerificationReason = (typeof VERIFICATION_REASONS)[number];

/** Open flags, each with the time (ms) when it was raised. */
export type VerificationFlags = Readonly<Partial<Record<VerificationReason, number>>>;

export function flag(
  flags: VerificationFlags,
  reason: VerificationReason,
  isCause: boolean,
  atMs: number,
): VerificationFlags {
  if (isCause) return { ...flags, [reason]: flags[reason] ?? atMs };
  if (flags[reason] === undefined) return flags;
  const { [reason]: _, ...rest } = flags;
  return rest;
}

/** Open reasons, most urgent first. */
export function openVerificationReasons(flags: VerificationFlags): VerificationReason[] {
  return VERIFICATION_REASONS.filter((reason) => flags[reason] !== undefined);
}
