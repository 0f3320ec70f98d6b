import type {
  LeasedNotification,
  NotificationOutcome,
  NotificationResult,
} from '../journal/statements/notifications';
import { JournalUnavailable } from '../journal/errors';
import type { Journal } from '../journal/journal';
import type { HintSender } from './hint-sender';
import { NOTHING_SENT, sendHints } from './send-hints';
import type { SendHintsOptions, SentHints } from './send-hints';
import type { NotificationReading } from './notification';
import type { NotificationObserver } from './observer';
import { processNotification } from './process-notification';
import type { Processed } from './process-notification';
import { understand } from './understand';
import type { NotificationWork, UnderstandOptions } from './understand';

export interface DispatchOptions {
  readonly inbox: Pick<Journal, 'leaseNotifications' | 'recordNotificationResults' | 'stageDebits'> &
    SendHintsOptions['inbox'] &
    UnderstandOptions['inbox'];
  readonly reading: NotificationReading;
  readonly sendHint: HintSender;
  readonly observer: NotificationObserver;
  /** Debits that no transfer explains are held until the bank has been asked about them. */
  readonly onStaged: () => void;
  /** Number of notifications in a batch that are sealed with keys not in the ring; they wait. */
  readonly onSealed: (count: number) => void;
  /** A notification has more content than Giro reads. */
  readonly onCut: () => void;
  /** A notification that was tried alone could not be processed; it is retried. */
  readonly onUnworkable: (deliveryKey: string, error: unknown) => void;
  /** The notification is not tried again. */
  readonly onSetAside: (deliveryKey: string, why: SetAsideReason) => void;
}

/**
 * `unworkable`: processing failed, or the worker died, in every try. The other reasons: the notification does not open.
 */
export type SetAsideReason = 'unworkable' | 'altered' | 'unknown-key';

export interface BatchEnd {
  readonly leased: number;
  /** More may be due right now. */
  readonly isFull: boolean;
  /** `not-asked`: nothing to send, or sending was not allowed yet. */
  readonly engine: SentHints['engine'];
}

export const BATCH_MAX = 100;
/**
 * Longer than a batch can take while Temporal hangs: signals are sent in groups of sixteen, and none follows a group in
 * which a signal got no answer.
 */
const LEASE_MS = 60_000;
/** After this many leases that ended without a result a notification is set aside. */
export const UNFINISHED_MAX = 4;
/** How long to wait for a missing key: receivers may have a new key before the workers have it. */
export const UNKNOWN_KEY_MAX_MS = 86_400_000;

/**
 * Turns due notifications into hints: one for each workflow, even for many notifications. A notification is done only
 * when Temporal has accepted a hint that was sent after its arrival. A notification that hints nothing is done at once,
 * without Temporal. Everything may be repeated: a crash in between costs a lease.
 *
 * No notification holds up another. When a batch fails, each of its notifications is tried alone. A notification whose
 * lease ended without a result is tried alone and last, and set aside after four such leases.
 *
 * @param maySend false: Temporal is known to be unreachable, so hints wait
 */
export async function dispatchBatch(options: DispatchOptions, maySend = true): Promise<BatchEnd> {
  const all = await options.inbox.leaseNotifications({ limit: BATCH_MAX, leaseMs: LEASE_MS });
  const open = await opened(all, options);
  const engines = [
    await workApart(
      open.filter(({ unfinished }) => unfinished === 0),
      options,
      maySend,
    ),
  ];
  for (const suspect of open.filter(({ unfinished }) => unfinished > 0)) {
    if (suspect.unfinished >= UNFINISHED_MAX) await setAside([suspect], 'unworkable', options);
    else engines.push(await workApart([suspect], options, maySend && !engines.includes('away')));
  }
  return {
    leased: all.length,
    // A notification whose lease ran out is leased separately, so more may be due.
    isFull: all.length >= BATCH_MAX || all.some(({ unfinished }) => unfinished > 0),
    engine:
      engines.find((word) => word === 'away') ?? engines.find((word) => word === 'answered') ?? 'not-asked',
  };
}

/**
 * A notification that fails alone keeps its lease, which counts as a try. Rejects when the journal is unreachable, or
 * when the statements of two notifications in a row time out: then the journal is slow, and the notifications are not
 * at fault.
 */
async function workApart(
  leased: readonly Opened[],
  options: DispatchOptions,
  maySend: boolean,
): Promise<SentHints['engine']> {
  if (leased.length > 1) {
    try {
      return await work(leased, options, maySend);
    } catch (error) {
      if (error instanceof JournalUnavailable && !error.hasTimedOut) throw error;
    }
  }
  let engine: SentHints['engine'] = 'not-asked';
  let timeouts = 0;
  for (const one of leased) {
    try {
      const end = await work([one], options, maySend && engine !== 'away');
      if (end !== 'not-asked') engine = end;
      timeouts = 0;
    } catch (error) {
      if (error instanceof JournalUnavailable && (!error.hasTimedOut || ++timeouts > 1)) throw error;
      options.onUnworkable(one.deliveryKey, error);
    }
  }
  return engine;
}

async function setAside(
  leased: readonly LeasedNotification[],
  why: SetAsideReason,
  { inbox, observer, onSetAside }: DispatchOptions,
): Promise<void> {
  await inbox.recordNotificationResults(
    leased.map(({ deliveryKey }) => ({ deliveryKey, outcome: 'set-aside' as const })),
  );
  for (const { deliveryKey, ageMs } of leased) {
    observer.notification('set-aside', ageMs);
    onSetAside(deliveryKey, why);
  }
}

async function work(
  leased: readonly Opened[],
  options: DispatchOptions,
  maySend: boolean,
): Promise<SentHints['engine']> {
  const understood = await understand(leased, options);
  const hasTargets = ({ subjects }: NotificationWork): boolean =>
    subjects.some(({ targets }) => targets.length > 0);
  await finish(
    understood.filter((item) => !hasTargets(item)),
    NOTHING_SENT,
    options,
  );
  const toHint = understood.filter(hasTargets);
  const sent = maySend ? await sendHints(toHint, options) : NOTHING_SENT;
  await finish(toHint, sent, options);
  if (sent.failed > 0) options.observer.hintFailed(sent.failed);
  return sent.engine;
}

type Opened = LeasedNotification & { readonly body: Buffer };

/**
 * The notifications that open. An altered notification never opens; one whose key is missing waits a day for the key.
 */
async function opened(leased: readonly LeasedNotification[], options: DispatchOptions): Promise<Opened[]> {
  const isOpen = (item: LeasedNotification): item is Opened => typeof item.body !== 'string';
  const isWaiting = ({ body, ageMs }: LeasedNotification): boolean =>
    body === 'unknown-key' && ageMs < UNKNOWN_KEY_MAX_MS;
  const waiting = leased.filter(isWaiting);
  for (const why of ['altered', 'unknown-key'] as const)
    await setAside(
      leased.filter((item) => item.body === why && !isWaiting(item)),
      why,
      options,
    );
  if (waiting.length > 0) options.onSealed(waiting.length);
  await options.inbox.recordNotificationResults(
    waiting.map(({ deliveryKey, ageMs }) => ({ deliveryKey, againAfterMs: untilKeyMs(ageMs) })),
  );
  return leased.filter(isOpen);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The pause equals the notification's age, but is at least a minute and at most an hour. So each is tried some thirty
 * times within a day, and new notifications are processed in between.
 */
const untilKeyMs = (ageMs: number): number => Math.min(Math.max(ageMs, MINUTE_MS), HOUR_MS);

/** Too many debits are held: try again when the bank's answers have made room. */
const NO_ROOM: Processed = { againAfterMs: 60_000 };

/** Records the outcomes of notifications, and before them their orphans, which a crash must not lose. */
async function finish(
  work: readonly NotificationWork[],
  { ends }: SentHints,
  { inbox, observer, onStaged }: DispatchOptions,
): Promise<void> {
  const processed = work.map((item) => ({ item, ...processNotification(item, ends) }));
  const orphans = processed.flatMap((one) => one.orphans);
  const held = await inbox.stageDebits(orphans);
  if (orphans.length > 0) onStaged();
  const results: NotificationResult[] = [];
  const done: { readonly outcome: NotificationOutcome; readonly ageMs: number }[] = [];
  for (const { item, processed: end, orphans: own } of processed) {
    const isHeld = own.every(({ deliveryKey }) => held.has(deliveryKey));
    const result = isHeld ? end : NO_ROOM;
    results.push({ deliveryKey: item.leased.deliveryKey, ...result });
    if ('outcome' in result) done.push({ outcome: result.outcome, ageMs: item.leased.ageMs });
  }
  await inbox.recordNotificationResults(results);
  for (const { outcome, ageMs } of done) observer.notification(outcome, ageMs);
}
