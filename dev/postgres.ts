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

const START_TIMEOUT_MS = 60_000;
const SUPERUSER = 'postgres';

export interface PostgresServer extends Strikes {
  /** Superuser, database `postgres`. */
  readonly adminUrl: string;
  /** Creates a database and returns its URL (superuser). */
  createDatabase(name: string): Promise<string>;
  /** Settles with the last lines of its log when the server has ended, asked or not. */
  readonly ended: Promise<string>;
  /** Ends it at once, as a crash does: sessions are cut, what was not committed is lost. */
  halt(): Promise<void>;
  /** Starts it again on the same data and port; done when it serves. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  readonly log: (line: string) => void;
  /** What is committed survives a power cut, as it has to in production; default: it need not. */
  readonly durable?: boolean;
}

/** Starts a PostgreSQL server (temporary data, loopback, free port) that ends with this process at the latest. */
export function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  return withPortRetry(() => start(options));
}

async function start({ log, durable = false }: PostgresOptions): Promise<PostgresServer> {
  const port = await freePort();
  const password = randomBytes(18).toString('base64url');
  const urlOf = (database: string): string =>
    `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
  const server = startKept(clusterSpec({ port, password, log, durable }));
  const isServing = () =>
    waitUntilServing('PostgreSQL', server, () => query(urlOf('postgres'), 'select 1'), START_TIMEOUT_MS);
  let pid: number;
  try {
    pid = await server.started;
    await isServing();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    adminUrl: urlOf('postgres'),
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

interface Cluster extends Required<PostgresOptions> {
  readonly port: number;
  readonly password: string;
}

function clusterSpec({ port, password, log, durable }: Cluster): KeptSpec {
  const binaries = postgresBinaries().folder;
  const owner = unprivilegedUser();
  const folder = newTemporaryFolder('postgres');
  const inPlace = owner === null || canRun(join(binaries, 'bin', 'initdb'), owner);
  if (!inPlace) log('PostgreSQL runs from a copy: its account cannot read this checkout');
  const bin = join(inPlace ? binaries : join(folder, 'native'), 'bin');
  return {
    folder,
    owner,
    copies: inPlace ? [] : [{ from: binaries, to: 'native' }],
    files: { password: `${password}\n` },
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TMPDIR: folder },
    prepare: [{ command: join(bin, 'initdb'), args: initdbArguments() }],
    server: { command: join(bin, 'postgres'), args: serverArguments(port, durable) },
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

function serverArguments(port: number, durable: boolean): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    // In the data folder instead of /dev/shm: small in containers, and left full by a killed server.
    dynamic_shared_memory_type: 'mmap',
    // The data is deleted with the server, so it need not survive a power cut: no waiting for the disk.
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
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end();
  }
}
