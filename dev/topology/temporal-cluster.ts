import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { lastingPort } from '../free-port';
import { newTemporaryFolder, startKept, strikesOf } from '../kept-process';
import type { Strikes } from '../kept-process';
import type { NodeEnv } from '../node-env';
import type { PostgresServer } from '../postgres';
import type { Scope } from '../scope';
import { packageRoot } from '../package-root';
import { waitUntilServing } from '../wait-until-serving';
import { sqlToolEnvironment, temporalEnvironment } from './temporal-environment';

const START_TIMEOUT_MS = 120_000;
const RETENTION_S = 30 * 86_400;
/** Two servers of four services, each with two pools: far fewer connections than the PostgreSQL of `dev` allows. */
const CONNECTIONS_PER_POOL = 6;
/** The dynamic configuration of docker-compose.yml. */
const DYNAMIC_CONFIG = 'ops/compose/temporal-dynamic.yaml';
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

/** @throws when the environment does not name them */
export const clusterBinaries = (env: NodeEnv): ClusterBinaries => ({
  server: pathOf('TEMPORAL_SERVER_PATH', env),
  sqlTool: pathOf('TEMPORAL_SQL_TOOL_PATH', env),
});

export const hasClusterBinaries = (env: NodeEnv): boolean =>
  ['TEMPORAL_SERVER_PATH', 'TEMPORAL_SQL_TOOL_PATH'].every((variable) => (env[variable] ?? '') !== '');

function pathOf(variable: string, env: NodeEnv): string {
  const path = env[variable];
  if (path === undefined || path === '')
    throw new Error(`${variable} must name the program (docs/deployment.md)`);
  return path;
}

/** One server of a cluster, with all four services. */
export interface ClusterServer extends Strikes {
  /** host:port of the frontend. */
  readonly address: string;
  /** Starts the server again after `kill`, on the same ports; resolves when it serves. */
  resume(): Promise<void>;
}

/**
 * Starts a Temporal cluster on PostgreSQL: servers with all four services each, which share the shards. `dynamicConfig`
 * replaces the dynamic settings of docker-compose.yml.
 */
export async function startTemporalCluster(
  scope: Scope,
  options: {
    readonly binaries: ClusterBinaries;
    readonly postgres: PostgresServer;
    readonly servers: number;
    readonly shards: number;
    readonly dynamicConfig?: Readonly<Record<string, boolean | string>>;
  },
): Promise<readonly ClusterServer[]> {
  const { binaries, postgres, servers, shards, dynamicConfig = {} } = options;
  const url = new URL(postgres.adminUrl);
  for (const store of STORES) makeSchema(binaries.sqlTool, url, store);
  const started: ClusterServer[] = [];
  // One after the other, so that the second server finds the first one in the database's list of members.
  for (let i = 0; i < servers; i++)
    started.push(await startServer(scope, { command: binaries.server, url, shards, dynamicConfig }));
  await registerNamespace(started[0]?.address ?? '');
  return started;
}

function makeSchema(sqlTool: string, url: URL, { database, schema }: (typeof STORES)[number]): void {
  const tool = (...args: readonly string[]) => {
    const env = { PATH: process.env['PATH'] ?? '', ...sqlToolEnvironment(loginOf(url)) };
    const { status, stderr } = spawnSync(sqlTool, ['--database', database, ...args], { env });
    if (status !== 0)
      throw new Error(`the sql tool failed at ${args[0] ?? ''}: ${stderr.toString().slice(-500)}`);
  };
  tool('create');
  tool('setup-schema', '-v', '0.0');
  tool('update-schema', '--schema-name', `postgresql/v12/${schema}`);
}

async function startServer(
  scope: Scope,
  {
    command,
    url,
    shards,
    dynamicConfig,
  }: {
    readonly command: string;
    readonly url: URL;
    readonly shards: number;
    readonly dynamicConfig: Readonly<Record<string, boolean | string>>;
  },
): Promise<ClusterServer> {
  const ports: Record<string, string> = {};
  for (const service of SERVICES) {
    ports[`${service}_GRPC_PORT`] = String(await lastingPort());
    ports[`${service}_MEMBERSHIP_PORT`] = String(await lastingPort());
  }
  ports['FRONTEND_HTTP_PORT'] = String(await lastingPort());
  const address = `127.0.0.1:${ports['FRONTEND_GRPC_PORT'] ?? ''}`;
  const folder = newTemporaryFolder('temporal');
  const kept = startKept({
    folder,
    owner: null,
    copies: [],
    files: { 'dynamic.yaml': dynamicYaml(dynamicConfig) },
    env: {
      ...{ PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder, ...ports },
      ...temporalEnvironment({
        ...loginOf(url),
        shards,
        connections: { store: CONNECTIONS_PER_POOL, visibility: CONNECTIONS_PER_POOL },
        bindOnIp: '127.0.0.1',
        dynamicConfigFile: 'dynamic.yaml',
      }),
      TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1',
      LOG_LEVEL: 'error',
    },
    prepare: [],
    server: { command, args: ['start'] },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
  });
  scope.own(kept, (it) => it.stop());
  const serving = () => waitUntilServing('Temporal', kept, () => isServing(address), START_TIMEOUT_MS);
  let pid = await kept.started;
  await serving();
  return {
    address,
    resume: async () => {
      pid = await kept.resume();
      await serving();
    },
    ...strikesOf(kept, () => pid),
  };
}

/** JSON is YAML too. */
function dynamicYaml(settings: Readonly<Record<string, boolean | string>>): string {
  const added = Object.entries(settings).map(
    ([name, value]) => `${name}: [{"value": ${JSON.stringify(value)}}]`,
  );
  if (added.length > 0) return `${added.join('\n')}\n`;
  return readFileSync(join(packageRoot, DYNAMIC_CONFIG), 'utf8');
}

function loginOf(url: URL) {
  return {
    host: url.hostname,
    port: Number(url.port),
    user: url.username,
    password: decodeURIComponent(url.password),
  };
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
