import type { TransferResultStatus } from '../domain/transfer/result';

/**
 * Notifications of the bank on their way to hints. Unlike the books, rows here change while they are worked on and
 * are deleted when they are old. Methods throw `JournalUnavailable` when PostgreSQL cannot be reached.
 */
export interface NotificationInbox {
  /** Commits before it resolves. False: a notification with this key is here already. */
  storeNotification(notification: NewNotification): Promise<boolean>;

  /**
   * Takes notifications that are due, oldest first, for `leaseMs`: no other receiver gets them meanwhile. What is not
   * settled by then is due again.
   */
  leaseNotifications(options: {
    readonly limit: number;
    readonly leaseMs: number;
  }): Promise<readonly LeasedNotification[]>;

  /** Marks leased notifications as done, or due again after a while. */
  settleNotifications(settlements: readonly Settlement[]): Promise<void>;

  /** The transfers that any of these ids belongs to. */
  transfersOf(ids: MovementIds): Promise<readonly KnownTransfer[]>;

  /** Those of these verifications that were ever tracked. */
  verificationsOf(requestIds: readonly string[]): Promise<readonly KnownVerification[]>;

  /**
   * Asks leave to hint each of these workflows: granted once in `gapMs` for each, whichever receiver asks.
   * Workflow ids must not repeat.
   */
  grantHints(workflowIds: readonly string[], gapMs: number): Promise<readonly HintGrant[]>;

  /** Notes that the engine has taken these hints; the gap to the next runs from now. */
  confirmHints(taken: readonly TakenHint[]): Promise<void>;

  /** Once for each key, whatever is repeated. The keys that were not there before. */
  recordOrphanDebits(orphans: readonly NewOrphanDebit[]): Promise<readonly string[]>;

  /**
   * Deletes at most `limit` notifications that were done that long ago, and as many marks of hints older than a day.
   * Number of the kind of which more were deleted: under `limit` nothing is left.
   */
  forgetNotifications(options: { readonly olderThanMs: number; readonly limit: number }): Promise<number>;

  /** Notifications that are not done, and the age of the oldest in ms (0: none). */
  inboxBacklog(): Promise<{ readonly waiting: number; readonly oldestMs: number }>;
}

/** Reading side, for reconciliation and commands. */
export interface OrphanDebits {
  /**
   * Debits that no transfer stands for now; one that was notified several times is one, with the time of its first
   * notification, in whose page it is.
   */
  orphanDebits(page: OrphanPage): Promise<OrphansOfPage>;
  /** Of these those that any of the ids belongs to. */
  orphanDebitsOf(ids: MovementIds): Promise<readonly OrphanDebit[]>;
}

export interface OrphanPage {
  /** First notified then or later; ISO UTC. */
  readonly since: string | null;
  /** And earlier than that. */
  readonly before: string | null;
  /** 0: from the first; else `next` of the page before. */
  readonly after: number;
  /** Notifications that are looked at, of which some may be no orphans. */
  readonly limit: number;
}

export interface OrphansOfPage {
  readonly debits: readonly OrphanDebit[];
  /** Null: that was the last. */
  readonly next: number | null;
}

export interface NewNotification {
  /** 1–255 characters; equal for repeats of one delivery. */
  readonly deliveryKey: string;
  /** As it came; sealed in the journal when there is a key ring. */
  readonly body: Buffer;
}

export interface LeasedNotification {
  readonly deliveryKey: string;
  /** Null: sealed with a key that is not in the ring. */
  readonly body: Buffer | null;
  /** ISO UTC. */
  readonly receivedAt: string;
  /** Microseconds since 1970, by the journal's clock. */
  readonly receivedAtUs: number;
  readonly ageMs: number;
  /** This one included. */
  readonly tries: number;
}

/**
 * What became of a notification: `hinted` its workflow; `merged`: a hint that was sent after its arrival stands for
 * it; `ended`: the transfer or verification had ended; `orphan`: a debit that no transfer stands for; `not-ours`:
 * incoming money and everything else that is about nothing of ours; `unreadable`: no JSON. Of several in one notification the first of `orphan`, `hinted`, `merged`, `ended`.
 */
export const NOTIFICATION_OUTCOMES = [
  'hinted',
  'merged',
  'ended',
  'orphan',
  'not-ours',
  'unreadable',
] as const;
export type NotificationOutcome = (typeof NOTIFICATION_OUTCOMES)[number];

export type Settlement = { readonly deliveryKey: string } & (
  { readonly outcome: NotificationOutcome } | { readonly againAfterMs: number }
);

export interface MovementIds {
  readonly originIds: readonly number[];
  readonly movementIds: readonly string[];
  readonly networkIds: readonly string[];
}

export interface KnownTransfer {
  readonly by: keyof MovementIds;
  /** The id that was asked for, as text. */
  readonly id: string;
  readonly originId: number;
  /** Null: open. */
  readonly result: TransferResultStatus | null;
}

export interface KnownVerification {
  readonly requestId: string;
  /** Tracked, and without an outcome. */
  readonly isOpen: boolean;
}

export interface HintGrant {
  readonly workflowId: string;
  readonly granted: boolean;
  /** By the journal's clock, for `confirmHints`; null when not granted. */
  readonly grantedAt: string | null;
  /** Until one can be granted again; 0 when granted now. */
  readonly waitMs: number;
  /** When the latest hint that the engine took was granted; a notification received before is served by it. */
  readonly deliveredAtUs: number | null;
}

export interface TakenHint {
  readonly workflowId: string;
  /** Of its grant: what was received before is served. */
  readonly grantedAt: string;
}

export interface NewOrphanDebit extends MovementIds {
  /** Of the notification; one that tells of several debits has a number behind it from the second on. */
  readonly deliveryKey: string;
  /** The bank's word, `[A-Z][A-Z0-9_]{0,63}`; null: none that is readable. */
  readonly movementType: string | null;
  /** ISO UTC. */
  readonly receivedAt: string;
}

export interface OrphanDebit extends NewOrphanDebit {
  /** ISO UTC. */
  readonly recordedAt: string;
}
