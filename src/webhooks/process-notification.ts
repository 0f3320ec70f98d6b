import type { KnownTransfer } from '../journal/statements/transfers-of';
import type { LeasedNotification, NotificationOutcome } from '../journal/statements/notifications';
import type { DebitToHold } from '../journal/statements/suspected-debits';
import type { TargetEnd } from './send-hints';
import type { NotificationWork, Subject } from './understand';
import { parseBankAccount } from '../domain/bank-account';
import { parseTaxId } from '../domain/tax-id';
import type { NotifiedEvent } from './notification';

export type Processed = { readonly outcome: NotificationOutcome } | { readonly againAfterMs: number };

/**
 * If a notification has several outcomes, it gets the first of these: what a person must check, then what was done.
 */
const OUTCOMES_FIRST: readonly NotificationOutcome[] = ['orphan', 'hinted', 'merged', 'ended', 'not-ours'];

/** The outcome of one notification after the hints of its batch, and its debits that nobody ordered. */
export function processNotification(
  { leased, subjects }: NotificationWork,
  ends: ReadonlyMap<string, TargetEnd>,
): { readonly processed: Processed; readonly orphans: readonly DebitToHold[] } {
  if (subjects.length === 0) return { processed: { outcome: 'unreadable' }, orphans: [] };
  const processed = subjects.map((subject) => processSubject(subject, leased, ends));
  // An orphan does not wait for other events of its notification.
  const orphans = subjects.flatMap(({ event }, index) =>
    outcomeIn(processed[index]) === 'orphan' ? [orphanOf(event, leased, index)] : [],
  );
  const waits = processed.flatMap((one) => ('outcome' in one ? [] : [one.againAfterMs]));
  if (waits.length > 0) return { processed: { againAfterMs: Math.max(...waits) }, orphans };
  const outcomes = new Set(processed.map(outcomeIn));
  const outcome = OUTCOMES_FIRST.find((word) => outcomes.has(word)) ?? 'not-ours';
  return { processed: { outcome }, orphans };
}

const outcomeIn = (processed?: Processed): NotificationOutcome | null =>
  processed !== undefined && 'outcome' in processed ? processed.outcome : null;

function processSubject(
  { event, transfers, isVerification, targets }: Subject,
  leased: LeasedNotification,
  ends: ReadonlyMap<string, TargetEnd>,
): Processed {
  const again: Processed = { againAfterMs: againAfterMs(leased.tries) };
  let best: 'hinted' | 'merged' | null = null;
  let waitMs = 0;
  for (const { workflowId } of targets) {
    const target = ends.get(workflowId);
    if (target?.end === 'taken') best = 'hinted';
    else if (target?.end === 'too-soon') {
      const served = (target.grant.deliveredAtUs ?? 0) >= leased.receivedAtUs;
      if (served) best ??= 'merged';
      else waitMs = Math.max(waitMs, target.grant.waitMs, 1);
    }
    // The hint was not taken, or the transfer is open in the journal and has no run. Such a transfer is just ending, or
    // its run is lost and will be started again.
    else return again;
  }
  if (waitMs > 0) return { againAfterMs: waitMs };
  if (best !== null) return { outcome: best };
  if (event.direction === 'debit' && transfers.length > 0 && transfers.every(wasNeverTaken))
    return { outcome: 'orphan' };
  if (transfers.length > 0 || isVerification) return { outcome: 'ended' };
  if (leased.ageMs < giveUpAfterMs(event)) return again;
  return { outcome: event.direction === 'debit' ? 'orphan' : 'not-ours' };
}

/** No money may have gone out for this transfer, so nobody ordered its debit. */
const wasNeverTaken = ({ result }: KnownTransfer): boolean => result === 'REFUSED' || result === 'WITHDRAWN';

/**
 * An orphan's ids go into a log, and into the books once the bank has confirmed it. A field named `id` may hold
 * anything, so values that look like an account or a tax id are left out.
 */
export const orphanOf = (
  { ids: { originIds, movementIds, networkIds }, movementType }: NotifiedEvent,
  { deliveryKey }: Pick<LeasedNotification, 'deliveryKey'>,
  index: number,
): DebitToHold => ({
  // A delivery key contains no space.
  deliveryKey: index === 0 ? deliveryKey : `${deliveryKey} ${index + 1}`,
  movementType,
  ...{ originIds, movementIds: movementIds.filter((id) => !isPersonal(id)), networkIds },
});

/** Recognise accounts by length alone: some banks' sandboxes have wrong check digits. */
const isPersonal = (id: string): boolean =>
  parseBankAccount(id, { checkDigits: false }).ok || parseTaxId(id, { checkDigits: true }).ok;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Pauses between the tries of one notification: 1, 2, 4 … 60 s, and up to a fifth more to spread them. */
function againAfterMs(tries: number): number {
  const pauseMs = Math.min(SECOND_MS * 2 ** Math.min(tries - 1, 10), MINUTE_MS);
  return Math.round(pauseMs * (1 + Math.random() / 5));
}

/**
 * How long a notification that matches nothing is checked again. The bank's ids of a transfer become known with an
 * answer, which may come after the notification: after the create's time-out, or after a look-up while DELAYED (10 m 30
 * s). An originId is known before the create is sent, so an unknown originId stays unknown.
 */
export function giveUpAfterMs({ ids, direction }: NotifiedEvent): number {
  const mayBecomeKnown = ids.movementIds.length + ids.networkIds.length > 0;
  if (ids.originIds.length > 0 || !mayBecomeKnown || direction === 'other') return 0;
  return direction === 'debit' ? 15 * MINUTE_MS : MINUTE_MS;
}
