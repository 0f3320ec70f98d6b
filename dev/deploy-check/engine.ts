import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeEnv } from '../node-env';
import { newTemporaryFolder, startKept } from '../kept-process';
import type { Scope } from '../scope';
import { waitUntilServing } from '../wait-until-serving';
import { rememberFirewall } from './firewall';
import { CannotRun, run, works } from '../run';
import type { RunOptions } from '../run';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 120_000;
/** Debian installs dockerd in folders that only root's PATH has. */
const SYSTEM_FOLDERS = '/usr/sbin:/sbin';
const PARTS = ['unshare', 'dockerd', 'containerd', 'runc', 'iptables'];

/** A container engine, and the environment by which `docker` finds it. */
export interface ContainerEngine {
  readonly env: NodeEnv;
  /** This check started the engine, and ends it. */
  readonly own: boolean;
  /** Output of a `docker` command. */
  readonly docker: (args: readonly string[], options?: Omit<RunOptions, 'env'>) => Promise<string>;
}

/**
 * The running container engine. If none runs, starts a dockerd with its data in a temporary folder. Installs nothing.
 */
export async function findEngine(scope: Scope, given: NodeEnv): Promise<ContainerEngine> {
  const env = { ...given, PATH: `${given['PATH'] ?? ''}:${SYSTEM_FOLDERS}` };
  if (await works('docker', ['version'], env)) return engineOf(env, false);
  const missing: string[] = [];
  for (const name of ['docker', ...PARTS]) if (!(await works(name, ['--version'], env))) missing.push(name);
  if (missing.length > 0)
    throw new CannotRun(
      `no container engine runs, and to start one ${missing.join(', ')} must be installed ` +
        '(Debian: apt-get install docker.io runc iptables)',
    );
  if (process.getuid?.() !== 0)
    throw new CannotRun('no container engine runs, and starting one takes root: start Docker, or be root');
  return startDockerd(scope, env);
}

async function startDockerd(scope: Scope, env: NodeEnv): Promise<ContainerEngine> {
  // Registered first, so that it is released last, after dockerd has ended.
  scope.own(await rememberFirewall(env), (restore) => restore());
  const folder = newTemporaryFolder('docker');
  const socket = `unix://${join(folder, 'docker.sock')}`;
  const dockerd = startKept({
    folder,
    owner: null,
    copies: [],
    // In place of the machine's own configuration.
    files: { 'daemon.json': '{}' },
    // Includes the proxies for pulling.
    env: definedOf(env),
    prepare: [],
    server: {
      // In a separate mount namespace: leftover mounts end with dockerd, so its folder can be deleted.
      command: 'unshare',
      args: [
        ...['--mount', 'dockerd'],
        ...['--config-file', 'daemon.json', '--pidfile', join(folder, 'pid'), '--host', socket],
        ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
        // Compose makes its own bridges, and the default bridge may already exist.
        ...['--storage-driver', 'overlay2', '--bridge', 'none'],
      ],
    },
    stopSignal: 'SIGTERM',
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
  scope.own(dockerd, async (it) => {
    await it.stop();
    if (existsSync(folder)) throw new Error(`dockerd left ${folder} behind`);
  });
  const engine = engineOf({ ...env, DOCKER_HOST: socket }, true);
  const answers = async () => {
    await engine.docker(['version'], { timeoutMs: 5_000 });
  };
  try {
    await dockerd.started;
    await waitUntilServing('dockerd', dockerd, answers, START_TIMEOUT_MS);
  } catch (error) {
    // For example, root in a container may not be allowed to.
    throw new CannotRun(`no container engine runs, and none can be started: ${lastLineOf(error)}`);
  }
  return engine;
}

// The classic builder is part of every engine; BuildKit's command line is a separate package.
const engineOf = (env: NodeEnv, own: boolean): ContainerEngine => {
  const told = { ...env, DOCKER_BUILDKIT: '0' };
  return {
    ...{ env: told, own },
    docker: (args, options) => run('docker', args, { env: told, ...options }),
  };
};

function lastLineOf(error: unknown): string {
  return String(error).trim().split('\n').at(-1) ?? '';
}

function definedOf(env: NodeEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
