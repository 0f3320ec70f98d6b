import type {
  LeasedNotification,
  NotificationOutcome,
  Settlement,
} from '../journal/statements/notifications';
import type { NewOrphanDebit } from '../journal/statements/orphan-debits';
import type { Journal } from '../journal/journal';
import type { HintSender } from './hint-sender';
import { NOTHING_SENT, sendHints } from './send-hints';
import type { SendHintsOptions, SentHints } from './send-hints';
import type { NotificationReading } from './notification';
import type { WebhookObserver } from './observer';
import { againAfterMs, settleNotification } from './settle-notification';
import { understand } from './understand';
import type { NotificationWork, UnderstandOptions } from './understand';

export interface DispatchOptions {
  readonly inbox: Pick<Journal, 'leaseNotifications' | 'settleNotifications' | 'recordOrphanDebits'> &
    SendHintsOptions['inbox'] &
    UnderstandOptions['inbox'];
  readonly reading: NotificationReading;
  readonly sendHint: HintSender;
  readonly observer: WebhookObserver;
  /** A debit that no transfer stands for; ids only. Once for each. */
  readonly onOrphan: (orphan: NewOrphanDebit) => void;
  /** A stored notification cannot be opened (its key is missing); it waits. */
  readonly onSealed: (deliveryKey: string) => void;
  /** A notification holds more than is read of one. */
  readonly onCut: () => void;
}

export interface BatchEnd {
  readonly leased: number;
  /** `not-asked`: there was nothing to send, or no leave for it. */
  readonly engine: SentHints['engine'];
}

export const BATCH_MAX = 100;
/** Longer than a batch can take with an engine that hangs: signals stop with the first sixteen that got no answer. */
const LEASE_MS = 60_000;

/**
 * Takes what is due and turns it into hints: one for each workflow, whatever the number of notifications. A
 * notification is done only when the engine has taken a hint that was sent after its arrival, or when there is nothing
 * to hint; the latter do not wait for the engine. Everything may be repeated: a crash in between costs a lease.
 *
 * @param maySend false: the engine is known to be away, so that what has to be sent waits
 */
export async function dispatchBatch(options: DispatchOptions, maySend = true): Promise<BatchEnd> {
  const leased = await options.inbox.leaseNotifications({ limit: BATCH_MAX, leaseMs: LEASE_MS });
  if (leased.length === 0) return { leased: 0, engine: 'not-asked' };

  const work = await understand(await opened(leased, options), options);
  const hasTargets = ({ subjects }: NotificationWork): boolean =>
    subjects.some(({ targets }) => targets.length > 0);
  await finish(
    work.filter((item) => !hasTargets(item)),
    NOTHING_SENT,
    options,
  );
  const toHint = work.filter(hasTargets);
  const sent = maySend ? await sendHints(toHint, options) : NOTHING_SENT;
  await finish(toHint, sent, options);
  if (sent.failed > 0) options.observer.hintFailed(sent.failed);
  return { leased: leased.length, engine: sent.engine };
}

type Opened = LeasedNotification & { readonly body: Buffer };

async function opened(
  leased: readonly LeasedNotification[],
  { inbox, onSealed }: DispatchOptions,
): Promise<Opened[]> {
  const isOpen = (item: LeasedNotification): item is Opened => item.body !== null;
  const sealed = leased.filter((item) => !isOpen(item));
  for (const { deliveryKey } of sealed) onSealed(deliveryKey);
  await inbox.settleNotifications(
    sealed.map(({ deliveryKey, tries }) => ({ deliveryKey, againAfterMs: againAfterMs(tries) })),
  );
  return leased.filter(isOpen);
}

/** Writes down what became of notifications: their orphans first, which a crash must not lose. */
async function finish(
  work: readonly NotificationWork[],
  { ends }: SentHints,
  { inbox, observer, onOrphan }: DispatchOptions,
): Promise<void> {
  const settlements: Settlement[] = [];
  const orphans: NewOrphanDebit[] = [];
  const done: { readonly outcome: NotificationOutcome; readonly ageMs: number }[] = [];
  for (const item of work) {
    const { settled, orphans: found } = settleNotification(item, ends);
    settlements.push({ deliveryKey: item.leased.deliveryKey, ...settled });
    orphans.push(...found);
    if ('outcome' in settled) done.push({ outcome: settled.outcome, ageMs: item.leased.ageMs });
  }
  const recorded = new Set(await inbox.recordOrphanDebits(orphans));
  for (const orphan of orphans) if (recorded.has(orphan.deliveryKey)) onOrphan(orphan);
  await inbox.settleNotifications(settlements);
  for (const { outcome, ageMs } of done) observer.notification(outcome, ageMs);
}
