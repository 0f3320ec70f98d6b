import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort, withPortRetry } from './free-port';
import type { KeptSpec, Strikes } from './kept-process';
import { newTemporaryFolder, startKept, strikesOf } from './kept-process';
import { postgresBinaries } from './postgres-binaries';
import type { UserIds } from './unprivileged-user';
import { unprivilegedUser } from './unprivileged-user';
import { waitUntilServing } from './wait-until-serving';

const START_TIMEOUT_MS = 300_000;
/** For hangs alone: on a busy machine a connection may take seconds. */
const CONNECT_TIMEOUT_MS = 60_000;
const SUPERUSER = 'postgres';

export interface PostgresServer extends Strikes {
  /** Superuser, database `postgres`. */
  readonly adminUrl: string;
  /** Holds the data in `data`; deleted with the server. */
  readonly folder: string;
  /** Creates a database and returns its URL (superuser). */
  createDatabase(name: string): Promise<string>;
  /** Resolves with the last lines of the log when the server has ended. */
  readonly ended: Promise<string>;
  /** Ends the server at once, as a crash does: sessions are cut, and uncommitted changes are lost. */
  halt(): Promise<void>;
  /** Starts the server again on the same data and port; resolves when it serves. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  readonly log: (line: string) => void;
  /** Commits survive a power cut, as in production. Default: false, which is faster. */
  readonly durable?: boolean;
  /** The folder in which the server's folder is made; default: the system's temporary folder. */
  readonly within?: string;
  /** Restarts a server that ends by itself after this time; default: no restart, and its data are deleted. */
  readonly restartAfterMs?: number;
}

/** Starts a PostgreSQL server (temporary data, loopback, free port) that ends with this process at the latest. */
export function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  return withPortRetry(() => start(options));
}

/**
 * Starts a standby of `primary` with the application name `standby`, which replicates through `line`. The primary is
 * halted while its data are copied.
 */
export function startStandby(
  primary: PostgresServer,
  { line, ...options }: PostgresOptions & { readonly line: { readonly port: number } },
): Promise<PostgresServer> {
  return withPortRetry(() => start(options, { primary, line }));
}

interface Followed {
  readonly primary: PostgresServer;
  readonly line: { readonly port: number };
}

async function start(
  { log, durable = false, within, restartAfterMs }: PostgresOptions,
  followed: Followed | null = null,
): Promise<PostgresServer> {
  const port = await freePort();
  const password =
    followed === null ? randomBytes(18).toString('base64url') : new URL(followed.primary.adminUrl).password;
  const urlOf = (database: string): string =>
    `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
  const folder = newTemporaryFolder('postgres', within);
  await followed?.primary.halt();
  const server = startKept({
    ...clusterSpec({ folder, port, password, log, durable, followed }),
    ...(restartAfterMs === undefined ? {} : { restartAfterMs }),
  });
  const isServing = () =>
    waitUntilServing('PostgreSQL', server, () => query(urlOf('postgres'), 'select 1'), START_TIMEOUT_MS);
  let pid: number;
  try {
    pid = await server.started.finally(() => followed?.primary.resume());
    await isServing();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    adminUrl: urlOf('postgres'),
    folder,
    createDatabase: async (name) => {
      await query(urlOf('postgres'), `create database "${name.replaceAll('"', '""')}"`);
      return urlOf(name);
    },
    ended: server.ended.then((end) => end.log),
    // Immediate shutdown.
    halt: () => server.halt('SIGQUIT'),
    resume: async () => {
      pid = await server.resume();
      await isServing();
    },
    ...strikesOf(server, () => pid),
    stop: () => server.stop(),
  };
}

interface Cluster extends Required<Pick<PostgresOptions, 'log' | 'durable'>> {
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  readonly followed: Followed | null;
}

function clusterSpec({ folder, port, password, log, durable, followed }: Cluster): KeptSpec {
  const binaries = postgresBinaries().folder;
  const owner = unprivilegedUser();
  const inPlace = owner === null || canRun(join(binaries, 'bin', 'initdb'), owner);
  if (!inPlace) log('PostgreSQL runs from a copy: its account cannot read this checkout');
  const bin = join(inPlace ? binaries : join(folder, 'native'), 'bin');
  return {
    folder,
    owner,
    copies: inPlace ? [] : [{ from: binaries, to: 'native' }],
    files: { password: `${password}\n` },
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TMPDIR: folder },
    prepare:
      followed === null
        ? [{ command: join(bin, 'initdb'), args: initdbArguments() }]
        : [
            { command: 'cp', args: ['-R', join(followed.primary.folder, 'data'), 'data'] },
            { command: 'touch', args: [join('data', 'standby.signal')] },
          ],
    server: {
      command: join(bin, 'postgres'),
      args: [
        ...serverArguments(port, durable),
        ...(followed === null ? [] : ['-c', `primary_conninfo=${conninfo(followed.line.port, password)}`]),
      ],
    },
    // Fast shutdown: sessions are ended, nothing waits for clients.
    stopSignal: 'SIGINT',
    stopTimeoutMs: 10_000,
  };
}

function initdbArguments(): string[] {
  return [
    ...['--pgdata=data', `--username=${SUPERUSER}`, '--pwfile=password', '--auth=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--no-sync'],
  ];
}

const conninfo = (port: number, password: string): string =>
  `host=127.0.0.1 port=${port} user=${SUPERUSER} password=${password} application_name=standby`;

function serverArguments(port: number, durable: boolean): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    // In the data folder instead of /dev/shm: small in containers, and left full by a killed server.
    dynamic_shared_memory_type: 'mmap',
    // The data are deleted with the server, so commits need not wait for the disk.
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  return ['-D', 'data', ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function canRun(program: string, owner: UserIds): boolean {
  return spawnSync(program, ['--version'], { cwd: '/', stdio: 'ignore', ...owner }).status === 0;
}

async function query(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end();
  }
}
