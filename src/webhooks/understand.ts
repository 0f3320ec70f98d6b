import { setImmediate } from 'node:timers/promises';
import type { KnownTransfer, MovementIds } from '../journal/statements/transfers-of';
import type { LeasedNotification } from '../journal/statements/notifications';
import type { Journal } from '../journal/journal';
import { transferTarget, verificationTarget } from './hint-sender';
import type { HintTarget } from './hint-sender';
import type { NotificationReading, NotifiedEvent } from './notification';
import { readNotification } from './read-notification';

/** One event of a notification, with its owner in the journal. */
export interface Subject {
  readonly event: NotifiedEvent;
  readonly transfers: readonly KnownTransfer[];
  /** One of the event's request ids belongs to a tracked verification. */
  readonly isVerification: boolean;
  readonly targets: readonly HintTarget[];
}

export interface NotificationWork {
  readonly leased: LeasedNotification;
  /** Empty: unreadable. */
  readonly subjects: readonly Subject[];
}

export interface UnderstandOptions {
  readonly inbox: Pick<Journal, 'transfersOf' | 'verificationsOf'>;
  readonly reading: NotificationReading;
  readonly onCut: () => void;
}

/** Reads notifications, and looks up the owners of all their ids in the journal at once. */
export async function understand(
  opened: readonly (LeasedNotification & { readonly body: Buffer })[],
  { inbox, reading, onCut }: UnderstandOptions,
): Promise<NotificationWork[]> {
  const read: { readonly leased: LeasedNotification; readonly events: readonly NotifiedEvent[] }[] = [];
  for (const leased of opened) {
    // Reading the largest notification takes a tenth of a second; let other work of the process run in between.
    await setImmediate();
    const notification = readNotification(leased.body, reading);
    if (notification.kind === 'readable' && notification.isCut && leased.tries === 1) onCut();
    read.push({ leased, events: notification.kind === 'readable' ? notification.events : [] });
  }
  const ids = read.flatMap(({ events }) => events.map((event) => event.ids));
  const known = await inbox.transfersOf(idsOfAll(ids));
  const requestIds = [...new Set(ids.flatMap((one) => one.requestIds))];
  const tracked = new Map(
    (await inbox.verificationsOf(requestIds)).map(({ requestId, isOpen }) => [requestId, isOpen]),
  );
  const byId = new Map<string, KnownTransfer[]>();
  for (const one of known) {
    const key = `${one.by} ${one.id}`;
    byId.set(key, [...(byId.get(key) ?? []), one]);
  }
  return read.map(({ leased, events }) => ({
    leased,
    subjects: events.map((event) => subjectOf(event, byId, tracked)),
  }));
}

function subjectOf(
  event: NotifiedEvent,
  byId: ReadonlyMap<string, readonly KnownTransfer[]>,
  tracked: ReadonlyMap<string, boolean>,
): Subject {
  const transfers = (['originIds', 'movementIds', 'networkIds'] as const).flatMap((by) =>
    event.ids[by].flatMap((id) => byId.get(`${by} ${id}`) ?? []),
  );
  const open = new Set(transfers.filter(({ result }) => result === null).map(({ originId }) => originId));
  const { requestIds } = event.ids;
  return {
    event,
    transfers,
    isVerification: requestIds.some((id) => tracked.has(id)),
    targets: [
      ...[...open].map(transferTarget),
      ...requestIds.filter((id) => tracked.get(id) === true).map(verificationTarget),
    ],
  };
}

function idsOfAll(ids: readonly MovementIds[]): MovementIds {
  return {
    originIds: [...new Set(ids.flatMap((one) => one.originIds))],
    movementIds: [...new Set(ids.flatMap((one) => one.movementIds))],
    networkIds: [...new Set(ids.flatMap((one) => one.networkIds))],
  };
}
