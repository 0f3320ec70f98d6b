import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** The argument of the process. */
export interface SenderTask {
  readonly url: string;
  /** Notifications a second. */
  readonly rate: number;
  readonly count: number;
  /** Notifications are about originIds 1 to this number, in turn. */
  readonly originIds: number;
}

/**
 * The result of the process. Times count from when a notification was due, so that a stall counts for every
 * notification that it delays.
 */
export interface SenderReport {
  readonly answered: number;
  readonly repeats: number;
  readonly tookSeconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const CONNECTIONS_MAX = 64;
const REPEATS_MAX = 20;
const REPEAT_AFTER_MS = 200;

/** Sends notifications at an even rate, even if answers are slow, and repeats each until the answer is 200. */
async function sendAll({ url, rate, count, originIds }: SenderTask): Promise<SenderReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
  const startMs = performance.now();
  const timesMs: number[] = [];
  let repeats = 0;
  const deliver = async (n: number, dueMs: number): Promise<void> => {
    const details = { type: 'DEBIT_TRANSFER_SENT_CVU', originId: (n % originIds) + 1 };
    for (let attempt = 0; attempt < REPEATS_MAX; attempt += 1) {
      const body = JSON.stringify({
        ...{ id: `n-${n}`, type: 'NEW_MONEY_MOVEMENT', created: n },
        ...{ data: { status: 'IN_PROGRESS', details }, redeliveries: attempt },
      });
      if ((await post(url, agent, body)) === 200) {
        timesMs.push(performance.now() - dueMs);
        return;
      }
      repeats += 1;
      await setTimeout(REPEAT_AFTER_MS);
    }
  };
  const deliveries: Promise<void>[] = [];
  for (let n = 0; n < count; n += 1) {
    const dueMs = startMs + (n * 1_000) / rate;
    const earlyMs = dueMs - performance.now();
    if (earlyMs > 0) await setTimeout(earlyMs);
    deliveries.push(deliver(n, dueMs));
  }
  const tookSeconds = (performance.now() - startMs) / 1_000;
  await Promise.all(deliveries);
  agent.destroy();
  timesMs.sort((a, b) => a - b);
  const at = (share: number): number => timesMs[Math.ceil(timesMs.length * share) - 1] ?? NaN;
  return { answered: timesMs.length, repeats, tookSeconds, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

/** The HTTP status; null: no answer. */
function post(url: string, agent: Agent, body: string): Promise<number | null> {
  return new Promise((resolve) => {
    const sent = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? null));
        answer.once('error', () => resolve(null));
      },
    );
    sent.once('error', () => resolve(null));
    sent.end(body);
  });
}

process.once('message', (task) => {
  void sendAll(task as SenderTask).then((report) => {
    process.send?.(report);
    process.disconnect();
  });
});
