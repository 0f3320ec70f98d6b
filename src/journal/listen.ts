import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { runtimeConnection } from './connection';
import { NOTIFICATION_CHANNEL } from './statements/store-notification';

export interface Listener {
  readonly close: () => Promise<void>;
}

/** Pause before the next try: 1, 2, 4 … 10 s. */
const PAUSE_MAX_MS = 10_000;
/** A server that has vanished (a firewall dropped the idle connection) never answers the end of a connection. */
const END_MAX_MS = 1_000;

/**
 * Listens for new notifications on a separate connection, and connects again whenever this connection breaks. Calls
 * `onNotified` after each connect too, because notifications may have arrived meanwhile. Never rejects: the inbox's own
 * processing reports an unreachable journal.
 */
export function listenForNotifications(url: string, onNotified: () => void): Listener {
  const ending = new AbortController();
  const { signal } = ending;
  const running = (async () => {
    for (let failures = 0; !signal.aborted;) {
      const wasConnected = await listenOnce(url, onNotified, signal);
      failures = wasConnected ? 1 : failures + 1;
      const pauseMs = Math.min(1_000 * 2 ** (failures - 1), PAUSE_MAX_MS);
      await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    close: () => {
      ending.abort();
      return running;
    },
  };
}

/** Runs until the connection breaks. Returns whether it connected at all. */
async function listenOnce(url: string, onNotified: () => void, signal: AbortSignal): Promise<boolean> {
  const socket = new Socket();
  const client = new Client({ ...runtimeConnection(url, 'giro_runtime'), stream: () => socket });
  const broken = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  client.on('notification', onNotified);
  try {
    await client.connect();
    await client.query(`listen ${NOTIFICATION_CHANNEL}`);
    onNotified();
    await broken;
    return true;
  } catch {
    return false;
  } finally {
    await Promise.race([client.end().catch(() => undefined), setTimeout(END_MAX_MS, null, { ref: false })]);
    socket.destroy();
  }
}
