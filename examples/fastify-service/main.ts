import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { GiroClient, dataConverterOf, parseKeyRing } from 'giro/client';
import { paymentsApp } from './app';

/** Reads Temporal's variables, GIRO_TASK_QUEUE, and CODEC_KEYS_FILE if payloads are encrypted. */
async function main(): Promise<void> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await Connection.connect(connectionOptions);
  const dataConverter = converterFor(namespace);
  const client = new Client({
    connection,
    namespace,
    ...(dataConverter === undefined ? {} : { dataConverter }),
  });
  const giro = new GiroClient({ client, taskQueue: process.env['GIRO_TASK_QUEUE'] ?? 'giro' });
  const app = paymentsApp(giro);
  process.once('SIGTERM', () => void app.close().then(() => connection.close()));
  await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 3000) });
}

function converterFor(namespace: string): ReturnType<typeof dataConverterOf> {
  const file = process.env['CODEC_KEYS_FILE'];
  if (file === undefined) return undefined;
  const ring = parseKeyRing(readFileSync(file, 'utf8'));
  if (!ring.ok) throw new Error(`CODEC_KEYS_FILE ${ring.reason}`);
  return dataConverterOf(ring.value, namespace);
}

void main();
