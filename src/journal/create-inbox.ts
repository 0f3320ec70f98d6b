import type { KeyRing } from '../codec/key-ring';
import type { Database } from './database';
import type { NotificationInbox, OrphanDebits } from './inbox';
import { confirmHints, grantHints } from './statements/hint-gate';
import { leaseNotifications } from './statements/lease-notifications';
import { orphanDebits, orphanDebitsOf, recordOrphanDebits } from './statements/orphan-debits';
import { settleNotifications } from './statements/settle-notifications';
import { storeNotification } from './statements/store-notification';
import { forgetNotifications, inboxBacklog } from './statements/tend-inbox';
import { transfersOf } from './statements/transfers-of';
import { verificationsOf } from './statements/verifications-of';

/** The part of the journal that notifications go through. */
export const createInbox = (database: Database, ring: KeyRing | null): NotificationInbox & OrphanDebits => ({
  storeNotification: (notification) => storeNotification(database, ring, notification),
  leaseNotifications: (options) => leaseNotifications(database, ring, options),
  settleNotifications: (settlements) => settleNotifications(database, settlements),
  transfersOf: (ids) => transfersOf(database, ids),
  verificationsOf: (requestIds) => verificationsOf(database, requestIds),
  grantHints: (workflowIds, gapMs) => grantHints(database, workflowIds, gapMs),
  confirmHints: (taken) => confirmHints(database, taken),
  recordOrphanDebits: (orphans) => recordOrphanDebits(database, orphans),
  forgetNotifications: (options) => forgetNotifications(database, options),
  inboxBacklog: () => inboxBacklog(database),
  orphanDebits: (page) => orphanDebits(database, page),
  orphanDebitsOf: (ids) => orphanDebitsOf(database, ids),
});
