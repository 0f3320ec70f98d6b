import type {
  HintGrant,
  KnownTransfer,
  LeasedNotification,
  MovementIds,
  NewOrphanDebit,
  NotificationInbox,
  NotificationOutcome,
  Settlement,
} from '../journal/inbox';
import { transferTarget, verificationTarget } from './hint-sender';
import type { HintEnd, HintSender, HintTarget } from './hint-sender';
import type { Notification, NotificationReading } from './notification';
import type { WebhookObserver } from './observer';
import { againAfterMs, patienceMs } from './patience';
import { readNotification } from './read-notification';

export interface DispatchOptions {
  readonly inbox: NotificationInbox;
  readonly reading: NotificationReading;
  readonly sendHint: HintSender;
  readonly observer: WebhookObserver;
  /** A debit of which no transfer is known; ids only. */
  readonly onOrphan: (orphan: NewOrphanDebit) => void;
  /** A stored notification cannot be opened (its key is missing); it waits. */
  readonly onSealed: (deliveryKey: string) => void;
}

export interface BatchEnd {
  readonly leased: number;
  readonly engineDown: boolean;
}

export const BATCH_MAX = 100;
/** Longer than a batch can take with an engine that hangs: signals stop at the first that got no answer. */
const LEASE_MS = 60_000;
/** At most one hint per transfer in that time: a hint brings no request forward past the bank's shortest gap. */
export const HINT_GAP_MS = 5_000;
const SIGNALS_AT_A_TIME = 16;

interface Work {
  readonly leased: LeasedNotification;
  readonly notification: Notification;
  readonly known: readonly KnownTransfer[];
  readonly targets: readonly HintTarget[];
}

/** What came of one target, for all notifications of the batch that name it. */
type TargetEnd = { readonly end: HintEnd | 'too-soon'; readonly grant: HintGrant };

/**
 * Takes what is due and turns it into hints: one for each workflow, whatever the number of notifications. A
 * notification is done only when the engine has taken a hint that was sent after its arrival, or when there is nothing
 * to hint. Everything may be repeated: a crash in between costs a lease.
 */
export async function dispatchBatch(options: DispatchOptions): Promise<BatchEnd> {
  const { inbox, observer, onOrphan } = options;
  const leased = await inbox.leaseNotifications({ limit: BATCH_MAX, leaseMs: LEASE_MS });
  if (leased.length === 0) return { leased: 0, engineDown: false };

  const work = await understand(leased, options);
  const ends = await hint(work, options);
  const settlements: Settlement[] = [];
  const orphans: NewOrphanDebit[] = [];
  for (const item of work) {
    const settled = settle(item, ends);
    settlements.push({ deliveryKey: item.leased.deliveryKey, ...settled });
    if (isUnknownDebit(item)) orphans.push(orphanOf(item));
    if (!('outcome' in settled)) continue;
    observer.notification(settled.outcome, item.leased.ageMs);
    if (settled.outcome === 'orphan') onOrphan(orphanOf(item));
  }
  await inbox.recordOrphanDebits(orphans);
  await inbox.settleNotifications(settlements);
  const count = (wanted: HintEnd): number => [...ends.values()].filter(({ end }) => end === wanted).length;
  const unreachable = count('unreachable');
  const failed = unreachable + count('refused');
  if (failed > 0) observer.hintFailed(failed);
  return { leased: leased.length, engineDown: unreachable > 0 };
}

async function understand(
  leased: readonly LeasedNotification[],
  { inbox, reading, onSealed }: DispatchOptions,
): Promise<Work[]> {
  const read: { leased: LeasedNotification; notification: Notification }[] = [];
  const sealed: Settlement[] = [];
  for (const item of leased) {
    if (item.body === null) {
      onSealed(item.deliveryKey);
      sealed.push({ deliveryKey: item.deliveryKey, againAfterMs: againAfterMs(item.tries) });
    } else read.push({ leased: item, notification: readNotification(item.body, reading) });
  }
  await inbox.settleNotifications(sealed);
  const known = await inbox.transfersOf(allIds(read.map(({ notification }) => notification)));
  return read.map(({ leased: item, notification }) => {
    if (notification.kind === 'unreadable') return { leased: item, notification, known: [], targets: [] };
    const { ids } = notification;
    const ours = known.filter(({ by, id }) =>
      (ids[by] as readonly (string | number)[]).map(String).includes(id),
    );
    const open = new Set(ours.filter(({ ended }) => !ended).map(({ originId }) => originId));
    return {
      leased: item,
      notification,
      known: ours,
      targets: [...[...open].map(transferTarget), ...ids.requestIds.map(verificationTarget)],
    };
  });
}

function allIds(notifications: readonly Notification[]): MovementIds {
  const all = { originIds: new Set<number>(), movementIds: new Set<string>(), networkIds: new Set<string>() };
  for (const notification of notifications) {
    if (notification.kind === 'unreadable') continue;
    for (const id of notification.ids.originIds) all.originIds.add(id);
    for (const id of notification.ids.movementIds) all.movementIds.add(id);
    for (const id of notification.ids.networkIds) all.networkIds.add(id);
  }
  return {
    originIds: [...all.originIds],
    movementIds: [...all.movementIds],
    networkIds: [...all.networkIds],
  };
}

/** One hint for each workflow that has leave for one; the first that gets no answer ends the sending. */
async function hint(
  work: readonly Work[],
  { inbox, sendHint }: DispatchOptions,
): Promise<ReadonlyMap<string, TargetEnd>> {
  const wanted = new Map<string, { readonly target: HintTarget; readonly eventId: string }>();
  for (const { leased, targets } of work) {
    // The latest arrival names the hint: those before it are served by the same.
    for (const target of targets) wanted.set(target.workflowId, { target, eventId: leased.deliveryKey });
  }
  const grants = await inbox.grantHints([...wanted.keys()], HINT_GAP_MS);
  const ends = new Map<string, TargetEnd>();
  const queue = grants.filter(({ granted }) => granted);
  for (const grant of grants) if (!grant.granted) ends.set(grant.workflowId, { end: 'too-soon', grant });
  let isDown = false;
  const sendNext = async (): Promise<void> => {
    for (let grant = queue.shift(); grant !== undefined; grant = queue.shift()) {
      const request = wanted.get(grant.workflowId);
      if (request === undefined) continue;
      const end = isDown ? 'unreachable' : await sendHint(request.target, request.eventId);
      isDown ||= end === 'unreachable';
      ends.set(grant.workflowId, { end, grant });
    }
  };
  await Promise.all(Array.from({ length: SIGNALS_AT_A_TIME }, sendNext));
  const taken = [...ends].filter(([, { end }]) => end === 'taken').map(([workflowId]) => workflowId);
  await inbox.confirmHints(taken);
  return ends;
}

type Settled = { readonly outcome: NotificationOutcome } | { readonly againAfterMs: number };

/** What becomes of one notification after the hints of its batch. */
function settle(
  { leased, notification, known, targets }: Work,
  ends: ReadonlyMap<string, TargetEnd>,
): Settled {
  if (notification.kind === 'unreadable') return { outcome: 'unreadable' };
  const again: Settled = { againAfterMs: againAfterMs(leased.tries) };
  let best: 'hinted' | 'merged' | null = null;
  let waitMs = 0;
  for (const { workflowId, signal } of targets) {
    const target = ends.get(workflowId);
    if (target === undefined || target.end === 'unreachable' || target.end === 'refused') return again;
    if (target.end === 'taken') best = 'hinted';
    else if (target.end === 'too-soon') {
      const served = (target.grant.deliveredAtUs ?? 0) >= leased.receivedAtUs;
      if (served) best ??= 'merged';
      else waitMs = Math.max(waitMs, target.grant.waitMs, 1);
    } else if (signal === 'movementHint') {
      // Open in the journal and no run: it ends at this moment, or it is lost and will be started again.
      return again;
    }
  }
  if (waitMs > 0) return { againAfterMs: waitMs };
  if (best !== null) return { outcome: best };
  if (known.length > 0) return { outcome: 'ended' };
  if (leased.ageMs < patienceMs(notification)) return again;
  return { outcome: notification.direction === 'debit' ? 'orphan' : 'not-ours' };
}

const isUnknownDebit = ({ notification, known }: Work): boolean =>
  notification.kind === 'readable' && notification.direction === 'debit' && known.length === 0;

function orphanOf({ leased, notification }: Work): NewOrphanDebit {
  if (notification.kind === 'unreadable') throw new Error('an unreadable notification is no debit');
  const { originIds, movementIds, networkIds } = notification.ids;
  return {
    deliveryKey: leased.deliveryKey,
    movementType: notification.movementType,
    ...{ originIds, movementIds, networkIds },
    receivedAt: leased.receivedAt,
  };
}
