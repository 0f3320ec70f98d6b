import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { madeUpOrder } from '../made-up-order';
import { GiroClient, dataConverterOf, parseKeyRing } from '../../src/client';
import { startSandboxBank } from '../../src/sandbox-bank';
import { tokenAccess } from '../bank-access';
import { sayOnStderr } from '../elapsed-stamp';
import { lastingPort } from '../free-port';
import { packageRoot } from '../package-root';
import { startPostgres } from '../postgres';
import type { Scope } from '../scope';
import { startServiceProcess } from '../service-process';
import { scoped } from '../scoped';
import { clusterBinaries, startTemporalCluster } from './temporal-cluster';

/**
 * `npm run topology`: the topology of docker-compose.yml without containers. A Temporal cluster of two servers on
 * PostgreSQL, the journal, two workers, receiver, codec server and sandbox bank, with encrypted payloads. Runs
 * transfers, kills a worker and a server of the cluster meanwhile, and checks the bank's books. Needs
 * TEMPORAL_SERVER_PATH and TEMPORAL_SQL_TOOL_PATH (docs/deployment.md).
 */
const TRANSFERS = 60;
const SHARDS = 16;
const TOKEN = 'sandbox-token';
const DEADLINE_MS = 240_000;
const say = sayOnStderr();

async function run(scope: Scope): Promise<void> {
  const postgres = scope.own(await startPostgres({ log: say }), (it) => it.stop());
  const cluster = await startTemporalCluster(scope, {
    ...{ binaries: clusterBinaries(process.env), postgres, servers: 2, shards: SHARDS },
  });
  const [address = '', other = ''] = cluster.map((it) => it.address);
  say(`two Temporal servers on PostgreSQL: ${address}, ${other}`);
  const bank = scope.own(
    await startSandboxBank({
      token: TOKEN,
      rules: [{ match: {}, states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'] }],
    }),
    (it) => it.close(),
  );
  const keys = JSON.stringify({ active: 'k1', keys: { k1: randomBytes(32).toString('base64') } });
  const access = tokenAccess(bank, TOKEN);
  const DATABASE_URL = await postgres.createDatabase('giro');
  // All clients use the frontend that survives, as a load balancer would lead them there.
  const settings = {
    DATABASE_URL,
    TEMPORAL_ADDRESS: address,
    CODEC_KEYS_FILE: 'keys.json',
    ...access.settings,
  };
  execFileSync(process.execPath, [join(packageRoot, 'dist/src/starter.js'), 'setup'], {
    env: { PATH: process.env['PATH'] ?? '', DATABASE_URL, TEMPORAL_ADDRESS: other },
    stdio: 'inherit',
  });
  const service = async (command: 'worker' | 'receiver' | 'codec-server', env: Record<string, string>) =>
    scope.own(
      await startServiceProcess({
        command,
        env: { ...settings, ...env },
        files: { ...access.files, 'keys.json': keys, token: randomBytes(16).toString('hex') },
      }),
      async (it) => {
        await it.stop();
      },
    );
  const receiverAddress = `127.0.0.1:${await lastingPort()}`;
  const [doomed] = await Promise.all([
    service('worker', {}),
    service('worker', {}),
    service('receiver', { RECEIVER_ADDRESS: receiverAddress, RECEIVER_PATH_SECRET_FILE: 'token' }),
    service('codec-server', {
      CODEC_SERVER_ADDRESS: '127.0.0.1:0',
      CODEC_SERVER_TOKEN_FILE: 'token',
      CODEC_SERVER_NAMESPACES: 'default',
    }),
  ]);
  say('set up; two workers, receiver, codec server and sandbox bank serve');

  const ring = parseKeyRing(keys);
  if (!ring.ok) throw new Error(ring.reason);
  const dataConverter = dataConverterOf(ring.value, 'default');
  const connection = scope.own(await Connection.connect({ address }), (it) => it.close());
  const client = new Client({ connection, ...(dataConverter === undefined ? {} : { dataConverter }) });
  const giro = new GiroClient({ client, callTimeoutMs: 60_000 });
  const ids = Array.from({ length: TRANSFERS }, (_, i) => 1_001 + i);
  const beganMs = Date.now();
  await Promise.all(ids.map((originId) => giro.startTransfer(madeUpOrder(originId, 'topology'))));
  say(`${TRANSFERS} transfers started in ${Date.now() - beganMs} ms`);
  await doomed.kill();
  say('one worker killed');
  await cluster[1]?.kill();
  say('one Temporal server killed: its shards, queues and frontend are the other one’s now');
  const results = await Promise.race([
    Promise.all(ids.map((originId) => giro.waitForTransfer(originId))),
    sleep(DEADLINE_MS, null, { ref: false }),
  ]);
  if (results === null) throw new Error(`not all transfers ended within ${DEADLINE_MS} ms`);
  const completed = results.filter(({ status }) => status === 'COMPLETED').length;
  const movements = bank.book.movements().length;
  const creates = bank.book.requestLog
    .list(null)
    .filter(({ service: name }) => name === 'transfer-request').length;
  say(
    `${completed} of ${TRANSFERS} completed ${((Date.now() - beganMs) / 1_000).toFixed(1)} s after the first start`,
  );
  say(`the bank has ${movements} movements, of ${creates} creates that reached it`);
  if (completed !== TRANSFERS || movements !== TRANSFERS || creates !== TRANSFERS) process.exitCode = 1;
}

async function main(): Promise<void> {
  if ((await scoped(run)) === null) process.exitCode = 1;
}

void main();
