import { spawnSync } from 'node:child_process';
import { Connection } from '@temporalio/client';

import { newTemporaryFolder, startKept } from '../kept-process';
import type { KeptProcess } from '../kept-process';
import type { PostgresServer } from '../postgres';
import type { Scope } from '../scope';
import { waitUntilServing } from '../wait-until-serving';
import { lowPort } from './low-port';

const START_TIMEOUT_MS = 120_000;
const RETENTION_S = 30 * 86_400;
/** Two servers of four services, each with two pools: far below what the PostgreSQL of `dev` allows. */
const CONNECTIONS_PER_POOL = 6;
const SERVICES = ['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'] as const;
const STORES = [
  { database: 'temporal', schema: 'temporal' },
  { database: 'temporal_visibility', schema: 'visibility' },
] as const;

/** Paths of `server` and `sql` of go.temporal.io/server, as `go install` leaves them. */
export interface ClusterBinaries {
  readonly server: string;
  readonly sqlTool: string;
}

export interface TemporalCluster {
  /** host:port of each frontend. */
  readonly addresses: readonly string[];
  /** SIGKILL to one of the servers, with its frontend, history and matching. */
  readonly killServer: (index: number) => Promise<void>;
}

/** A Temporal cluster on PostgreSQL: so many servers, each with all four services, that share the shards. */
export async function startTemporalCluster(
  scope: Scope,
  options: {
    readonly binaries: ClusterBinaries;
    readonly postgres: PostgresServer;
    readonly servers: number;
    readonly shards: number;
  },
): Promise<TemporalCluster> {
  const { binaries, postgres, servers, shards } = options;
  const url = new URL(postgres.adminUrl);
  for (const store of STORES) makeSchema(binaries.sqlTool, url, store);
  const started: { address: string; kept: KeptProcess }[] = [];
  // One after the other: the second finds the first in the database's list of members.
  for (let i = 0; i < servers; i++) {
    const server = await startServer(binaries.server, url, shards);
    scope.own(server.kept, (kept) => kept.stop());
    await waitUntilServing('Temporal', server.kept, () => isServing(server.address), START_TIMEOUT_MS);
    started.push(server);
  }
  await registerNamespace(started[0]?.address ?? '');
  return {
    addresses: started.map(({ address }) => address),
    killServer: async (index) => {
      await started[index]?.kept.halt('SIGKILL');
    },
  };
}

function makeSchema(sqlTool: string, url: URL, { database, schema }: (typeof STORES)[number]): void {
  const tool = (...args: readonly string[]) => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      SQL_PLUGIN: 'postgres12_pgx',
      SQL_HOST: url.hostname,
      SQL_PORT: url.port,
      SQL_USER: url.username,
      SQL_PASSWORD: decodeURIComponent(url.password),
    };
    const { status, stderr } = spawnSync(sqlTool, ['--database', database, ...args], { env });
    if (status !== 0)
      throw new Error(`the sql tool failed at ${args[0] ?? ''}: ${stderr.toString().slice(-500)}`);
  };
  tool('create');
  tool('setup-schema', '-v', '0.0');
  tool('update-schema', '--schema-name', `postgresql/v12/${schema}`);
}

async function startServer(command: string, url: URL, shards: number) {
  const ports: Record<string, string> = {};
  for (const service of SERVICES) {
    ports[`${service}_GRPC_PORT`] = String(await lowPort());
    ports[`${service}_MEMBERSHIP_PORT`] = String(await lowPort());
  }
  ports['FRONTEND_HTTP_PORT'] = String(await lowPort());
  const address = `127.0.0.1:${ports['FRONTEND_GRPC_PORT'] ?? ''}`;
  const folder = newTemporaryFolder('temporal');
  const kept = startKept({
    folder,
    owner: null,
    copies: [],
    files: { 'dynamic.yaml': 'system.forceSearchAttributesCacheRefreshOnRead:\n  - value: true\n' },
    env: {
      ...{ PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder, ...ports },
      DB: 'postgres12_pgx',
      DB_PORT: url.port,
      POSTGRES_SEEDS: url.hostname,
      POSTGRES_USER: url.username,
      POSTGRES_PWD: decodeURIComponent(url.password),
      DBNAME: 'temporal',
      VISIBILITY_DBNAME: 'temporal_visibility',
      SQL_MAX_CONNS: String(CONNECTIONS_PER_POOL),
      SQL_MAX_IDLE_CONNS: String(CONNECTIONS_PER_POOL),
      SQL_VIS_MAX_CONNS: String(CONNECTIONS_PER_POOL),
      SQL_VIS_MAX_IDLE_CONNS: String(CONNECTIONS_PER_POOL),
      NUM_HISTORY_SHARDS: String(shards),
      BIND_ON_IP: '127.0.0.1',
      TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1',
      PUBLIC_FRONTEND_ADDRESS: address,
      DYNAMIC_CONFIG_FILE_PATH: 'dynamic.yaml',
      LOG_LEVEL: 'error',
    },
    prepare: [],
    server: { command, args: ['--allow-no-auth', 'start'] },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
  });
  await kept.started;
  return { address, kept };
}

async function isServing(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    await connection.workflowService.getClusterInfo({});
  } finally {
    await connection.close();
  }
}

async function registerNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace: 'default',
      workflowExecutionRetentionPeriod: { seconds: RETENTION_S as never },
    });
  } finally {
    await connection.close();
  }
}
