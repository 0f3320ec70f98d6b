import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { BankMovement } from '../book/movement';
import type { Subscription, Subscriptions } from '../book/subscriptions';
import type { NotificationText } from './notification';
import { MONEY_MOVEMENT, movementNotification } from './notification';
import type { Notify } from '../rules/notify-schema';

/** One notification in the bank's books. */
export interface NotificationRecord {
  readonly id: string;
  readonly eventType: string;
  /** Digits; null: not about a movement of these books. */
  readonly originId: string | null;
  /** Status of the movement when the notification was made. */
  readonly status: string | null;
  /** All attempts in order; `httpStatus` null: no answer. */
  readonly attempts: { readonly at: string; readonly httpStatus: number | null }[];
  /** When HTTP 200 arrived; null: not yet, or never. */
  deliveredAt: string | null;
}

/**
 * By mode, the time from the change to its notification: long enough for the answer to arrive first, except with
 * `early`.
 */
const DELAYS_MS = { early: 0, late: 3_000 } as const;
const DELAY_MS = 100;
const OUT_OF_ORDER_FIRST_MS = 2_000;
/** Repeats until 200: after 100, 200, 400 … ms, at most 5 s apart. The number of repeats is limited. */
const REPEAT_FIRST_MS = 100;
const REPEAT_MAX_MS = 5_000;
const ATTEMPTS_MAX = 100;
const ATTEMPT_TIMEOUT_MS = 10_000;

/** Sends notifications to the subscriber, and repeats each until it is answered 200. */
export class Notifier {
  readonly records: NotificationRecord[] = [];
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly subscriptions: Subscriptions) {
    // One listener for each delivery in flight: a large number is not a leak.
    setMaxListeners(0, this.#closing.signal);
  }

  /** The bank has taken a movement, or has changed its status. */
  changed(movement: BankMovement, notify: Notify): void {
    if (this.subscriptions.of(MONEY_MOVEMENT) === null) return;
    const { mode } = notify;
    const notification = movementNotification(movement, notify);
    const record = this.#enter(notification);
    if (mode === 'lost') return;
    const byMode =
      mode === 'early' || mode === 'late'
        ? DELAYS_MS[mode]
        : mode === 'out-of-order' && movement.position === 0
          ? OUT_OF_ORDER_FIRST_MS
          : DELAY_MS;
    const delayMs = notify.delayMs ?? byMode;
    this.#start(notification, record, delayMs, mode === 'wrong-signature');
    if (mode === 'doubled') this.#start(notification, record, delayMs, false);
  }

  /** Sends the text that the tester gave. */
  send(notification: NotificationText): NotificationRecord {
    const record = this.#enter(notification);
    this.#start(notification, record, 0, false);
    return record;
  }

  reset(): void {
    this.records.length = 0;
  }

  /** Ends the deliveries in flight. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  #enter({ id, eventType, originId, status }: NotificationText): NotificationRecord {
    const record = { id, eventType, originId, status, attempts: [], deliveredAt: null };
    this.records.push(record);
    return record;
  }

  #start(text: NotificationText, record: NotificationRecord, delayMs: number, forged: boolean): void {
    const running = this.#deliver(text, record, delayMs, forged).catch((error: unknown) => {
      if (!this.#closing.signal.aborted) throw error;
    });
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  async #deliver(
    notification: NotificationText,
    record: NotificationRecord,
    delayMs: number,
    forged: boolean,
  ): Promise<void> {
    const { signal } = this.#closing;
    await delay(delayMs, undefined, { signal });
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const subscription = this.subscriptions.of(notification.eventType);
      // Unsubscribed meanwhile: stop notifications of that type.
      if (subscription === null) return;
      const at = new Date().toISOString();
      const httpStatus = await post(subscription, notification, attempt, forged, signal);
      record.attempts.push({ at, httpStatus });
      if (httpStatus === 200) {
        record.deliveredAt ??= new Date().toISOString();
        return;
      }
      await delay(Math.min(REPEAT_FIRST_MS * 2 ** attempt, REPEAT_MAX_MS), undefined, { signal });
    }
  }
}

async function post(
  subscription: Subscription,
  notification: NotificationText,
  redeliveries: number,
  forged: boolean,
  closing: AbortSignal,
): Promise<number | null> {
  const body = notification.text(redeliveries);
  const secretKey = forged ? randomBytes(32).toString('base64') : subscription.secretKey;
  try {
    const response = await fetch(subscription.endpoint, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        ...(secretKey === null ? {} : signature({ ...subscription, secretKey }, notification.id, body)),
      },
      body,
      signal: AbortSignal.any([closing, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

/** Implemented here, so that a receiver is not tested against its own library. */
function signature(
  { signature: scheme, secretKey, endpoint }: Subscription & { readonly secretKey: string },
  id: string,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  if (scheme === 'standard') {
    const key = Buffer.from(secretKey.replace(/^whsec_/, ''), 'base64');
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` };
  }
  const nonce = randomUUID();
  const { pathname } = new URL(endpoint);
  const digest = createHash('sha256').update(body).digest('hex');
  const content = [timestamp, nonce, 'POST', pathname, digest].join('\n');
  const mac = createHmac('sha256', secretKey).update(content).digest('hex');
  return { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': mac };
}
