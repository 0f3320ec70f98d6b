/**
 * The bank's movement: its record of a transfer.
 *
 * Glossary: a *movement* is the bank's record of a transfer. A transfer has three identifiers: *originId* is ours,
 * *movement id* is the bank's, and *networkId* is the network's (22 characters; banks use it for claims). A *concept*
 * is the central bank's code for the purpose. An *annulment* is our record that a FAILED transfer moved no money, so
 * that the funds reserved for the transfer may be released.
 */

/** The statuses of the bank's reference, compared exactly. */
export const MOVEMENT_STATUSES = ['CREATED', 'IN_PROGRESS', 'DELAYED', 'COMPLETED', 'FAILED'] as const;
export type MovementStatus = (typeof MOVEMENT_STATUSES)[number];

export type FinalMovementStatus = 'COMPLETED' | 'FAILED';

export function isMovementStatus(word: string): word is MovementStatus {
  return (MOVEMENT_STATUSES as readonly string[]).includes(word);
}

export function isFinalStatus(word: string | null): word is FinalMovementStatus {
  return word === 'COMPLETED' || word === 'FAILED';
}

/** An account in the bank's answer, digits as they came; null where the answer has no value. */
export interface MovementAccount {
  readonly address: string | null;
  /** Tax ids of the holders that the answer names, as text; empty: the answer names none. */
  readonly personIds: readonly string[];
}

/**
 * A movement as read from an answer of create or get-movement. Numbers are their decimal text exactly as it stood
 * on the wire; nothing that names a person is kept.
 */
export interface Movement {
  readonly id: string | null;
  /** The bank's status as reported, not yet checked: see `recordableStatus`. */
  readonly status: string;
  readonly hasDetails: boolean;
  /** The bank's code for the kind of movement, which distinguishes a debit from incoming money. */
  readonly type: string | null;
  readonly originId: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly network: string | null;
  readonly networkId: string | null;
  readonly postingAt: string | null;
  readonly completedAt: string | null;
  /** Where the money goes. */
  readonly destination: MovementAccount;
  /** Where the money comes from. */
  readonly source: MovementAccount;
}

/**
 * Whether the text has the form of an id that the bank or the network made, wherever the text comes from: an answer, a
 * notification, a command. Any other text could be personal, so Giro neither records it nor searches for it. A text
 * with a dot, a colon or a slash is an id only if it has both letters and digits. In such a text, digits alone may be a
 * tax id or a date, and letters alone may be a name or an account's alias.
 */
export const isBankId = (text: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text) ||
  (/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/.test(text) && /[A-Za-z]/.test(text) && /[0-9]/.test(text));

const RECORDABLE_STATUS = /^[A-Z][A-Z0-9_]{0,31}$/;

/**
 * The form in which a status may be recorded: as reported if it looks like a status. Otherwise `UNREADABLE` and a short
 * hash, because the field could hold personal text (contract 4.4).
 */
export function recordableStatus(word: string, shortHash: (text: string) => string): string {
  return RECORDABLE_STATUS.test(word) ? word : `UNREADABLE_${shortHash(word)}`;
}
