import { Connection } from '@temporalio/client';
import { addSearchAttributes, checkSearchAttributes } from '../src/engine/search-attributes';
import { freePort, withPortRetry } from './free-port';
import type { KeptProcess, Strikes } from './kept-process';
import { newTemporaryFolder, startKept, strikesOf } from './kept-process';
import { findTemporalCli } from './temporal-cli';
import { waitUntilServing } from './wait-until-serving';

const START_TIMEOUT_MS = 300_000;
const NAMESPACE = 'default';

/** Settings of a server for demo and tests, by their names in the server's common/dynamicconfig. */
export const DYNAMIC_CONFIG: Readonly<Record<string, boolean | string>> = {
  // A workflow may have its timers skipped, so demo and tests show DELAYED at its real cadence.
  'frontend.WorkflowTimeSkippingEnabled': true,
  'system.workflowTimeSkippingEnabled': true,
  // New search attributes are visible at once; otherwise a cache hides them for up to a minute.
  'system.forceSearchAttributesCacheRefreshOnRead': true,
  // Without this the server would ask the internet for newer versions.
  'frontend.enableServerVersionCheck': false,
  // A run is deleted only after the transfer queue has checkpointed its close: each second, instead of each half
  // minute.
  'history.transferProcessorUpdateAckInterval': '1s',
  // As in ops/compose/temporal-dynamic.yaml, which says why.
  'history.workflowTaskRetryMaxInterval': '10s',
};

/** The part of `DYNAMIC_CONFIG` that a production server has too. */
export const PRODUCTION_CONFIG: typeof DYNAMIC_CONFIG = {
  'frontend.enableServerVersionCheck': false,
  'history.workflowTaskRetryMaxInterval': '10s',
};

/**
 * The least time from the setting of a timer to its firing; each skipped timer takes this time too. The server's
 * default of one second allows for clocks of several machines that differ. With this default, a test of many look-ups
 * would spend most of its time on skipped timers.
 */
const QUICK_TIMERS = { 'history.timerProcessorMaxTimeShift': '10ms' };

export interface TemporalServer extends Strikes {
  /** host:port of the frontend, on loopback. */
  readonly address: string;
  /** Address of the web UI; null without it. */
  readonly uiUrl: string | null;
  /** Address of the HTTP API. */
  readonly httpUrl: string;
  /** A folder that is deleted with the server. */
  readonly folder: string;
  /** Resolves with the last lines of the log when the server has ended. */
  readonly ended: Promise<string>;
  /** Stops the server; with `onDisk`, its data stay. */
  halt(): Promise<void>;
  /** Starts the server again on the same data and port; resolves when it serves. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a Temporal server (in memory unless `onDisk`, loopback, free ports) that ends with this process at the latest.
 */
export async function startTemporalServer(options: {
  readonly ui: boolean;
  /** Keeps the data in a file, so that the server can be halted and resumed. */
  readonly onDisk?: boolean;
  /** Timers fire and are skipped at once. Default: up to a second late, as in production. */
  readonly quickTimers?: boolean;
  /** Default: `DYNAMIC_CONFIG`. */
  readonly dynamicConfig?: typeof DYNAMIC_CONFIG;
  /** The folder in which the server's folder is made; default: the system's temporary folder. */
  readonly within?: string;
  /** Restarts a server that ends by itself after this time; default: no restart, and its data are deleted. */
  readonly restartAfterMs?: number;
  readonly log: (line: string) => void;
}): Promise<TemporalServer> {
  const cli = await findTemporalCli({ env: process.env, log: options.log });
  return withPortRetry(() =>
    start(cli, { ...options, onDisk: options.onDisk === true, quickTimers: options.quickTimers === true }),
  );
}

async function start(
  cli: string,
  {
    ui,
    onDisk,
    quickTimers,
    dynamicConfig = DYNAMIC_CONFIG,
    within,
    restartAfterMs,
  }: {
    readonly ui: boolean;
    readonly onDisk: boolean;
    readonly quickTimers: boolean;
    readonly dynamicConfig?: typeof DYNAMIC_CONFIG;
    readonly within?: string;
    readonly restartAfterMs?: number;
  },
): Promise<TemporalServer> {
  const port = await freePort();
  const uiPort = ui ? await freePort() : null;
  const httpPort = await freePort();
  const address = `127.0.0.1:${port}`;
  const folder = newTemporaryFolder('temporal', within);
  const server = startKept({
    folder,
    owner: null,
    copies: [],
    files: {},
    // Without the caller's environment: the CLI reads settings and a profile file from there.
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      TMPDIR: folder,
      TEMPORAL_VERSION_CHECK_DISABLED: '1',
    },
    prepare: [],
    server: {
      command: cli,
      args: serverArguments({ port, uiPort, httpPort, onDisk, quickTimers, dynamicConfig }),
    },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 5_000,
    ...(restartAfterMs === undefined ? {} : { restartAfterMs }),
  });
  const isServing = () =>
    waitUntilServing('the Temporal server', server, () => answers(address), START_TIMEOUT_MS);
  let pid: number;
  try {
    pid = await server.started;
    await isServing();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    address,
    uiUrl: uiPort === null ? null : `http://127.0.0.1:${uiPort}`,
    httpUrl: `http://127.0.0.1:${httpPort}`,
    folder,
    ended: logOfEnd(server),
    halt: () => server.halt('SIGTERM'),
    resume: async () => {
      pid = await server.resume();
      await isServing();
    },
    ...strikesOf(server, () => pid),
    stop: () => server.stop(),
  };
}

function serverArguments(options: {
  readonly port: number;
  readonly uiPort: number | null;
  readonly httpPort: number;
  readonly onDisk: boolean;
  readonly quickTimers: boolean;
  readonly dynamicConfig: typeof DYNAMIC_CONFIG;
}): string[] {
  const { port, uiPort, httpPort, onDisk, quickTimers } = options;
  const dynamicConfig = { ...options.dynamicConfig, ...(quickTimers ? QUICK_TIMERS : {}) };
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--http-port', String(httpPort)],
    ...(uiPort === null ? ['--headless'] : ['--ui-port', String(uiPort), '--ui-disable-news-fetch']),
    ...(onDisk ? ['--db-filename', 'temporal.db'] : []),
    ...['--log-level', 'error', '--color', 'never'],
    ...Object.entries(dynamicConfig).flatMap(([name, value]) => [
      ...['--dynamic-config-value', `${name}=${JSON.stringify(value)}`],
    ]),
  ];
}

/** Fails until the server answers and has the namespace: the port opens before the namespace exists. */
async function answers(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
  } finally {
    await connection.close();
  }
}

/** Registers Giro's search attributes in the namespace `default`; existing ones do no harm. */
export async function registerSearchAttributes(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const { missing } = await checkSearchAttributes(connection, NAMESPACE);
    await addSearchAttributes(connection, NAMESPACE, missing);
  } finally {
    await connection.close();
  }
}

async function logOfEnd(server: KeptProcess): Promise<string> {
  return (await server.ended).log;
}
