import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyRingText, newKeyRing, withReceiverKey } from '../../../src/codec/key-ring';
import { newReceiverKey, sealKeyText } from '../../../src/codec/receiver-key';
import type { Env } from '../../../src/config/env';
import { loadSettings } from '../../../src/config/settings';
import { createContext } from '../../../src/context';
import { createLogger } from '../../../src/telemetry/logger';
import { RECEIVER_NEEDS, runReceiver } from '../../../src/receiver';

export const PATH_SECRET = 'k9Zq-test-path-secret_0123456789';

export interface TestReceiver {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, for health checks. */
  readonly healthUrl: string;
  /** `http://127.0.0.1:<port>/webhooks/<secret>` */
  readonly url: string;
  /** The log as written. */
  readonly log: () => string;
  /** Writes a file in the receiver's folder, by name. */
  readonly write: (name: string, content: string) => string;
  stop(): Promise<void>;
}

/** A receiver that seals, and the file of a key ring that opens what it has sealed. */
export async function startSealingReceiver(
  databaseUrl: string,
): Promise<{ readonly receiver: TestReceiver; readonly keysFile: string }> {
  const { privateKey, ...sealKey } = await newReceiverKey('r1');
  const receiver = await startTestReceiver(databaseUrl, {}, { RECEIVER_SEAL_KEY_FILE: sealKeyText(sealKey) });
  const ring = withReceiverKey(newKeyRing(), 'r1', privateKey);
  return { receiver, keysFile: receiver.write('keys', keyRingText(ring)) };
}

/** The receiver as the program runs it, in this process. `files`: variable → content of its file. */
export async function startTestReceiver(
  databaseUrl: string,
  more: Env = {},
  files: Readonly<Record<string, string>> = {},
): Promise<TestReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'giro-receiver-'));
  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const { config, secrets } = loadSettings(
    {
      DATABASE_URL: databaseUrl,
      GIRO_HTTP_ADDRESS: '127.0.0.1:0',
      RECEIVER_ADDRESS: '127.0.0.1:0',
      RECEIVER_PATH_SECRET_FILE: write('path-secret', `${PATH_SECRET}\n`),
      RECEIVER_MAX_RPS: '0',
      ...more,
      ...Object.fromEntries(
        Object.entries(files).map(([variable, text]) => [variable, write(variable, `${text}\n`)]),
      ),
    },
    RECEIVER_NEEDS,
  );
  let log = '';
  const logger = createLogger({ level: 'debug', destination: { write: (line: string) => (log += line) } });
  const context = await createContext(config, secrets, { logger });
  const stop = new AbortController();
  let end: Promise<void> = Promise.resolve();
  const { address, httpAddress } = await new Promise<{ address: string; httpAddress: string | null }>(
    (resolve, reject) => {
      end = runReceiver(context, {
        signal: stop.signal,
        onReady: resolve,
      }).finally(async () => {
        await context.close();
        rmSync(folder, { recursive: true, force: true });
      });
      end.catch(reject);
    },
  );
  const scheme = config.receiver.tls === null ? 'http' : 'https';
  return {
    port: Number(address.split(':').at(-1)),
    healthUrl: `http://${httpAddress}`,
    url: `${scheme}://${address}/webhooks/${PATH_SECRET}`,
    log: () => log,
    write,
    stop: () => {
      stop.abort();
      return end;
    },
  };
}
