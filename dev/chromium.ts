import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Interrupted, runToEnd } from './child';
import type { NodeEnv } from './node-env';

export interface FindOptions {
  readonly env: NodeEnv;
  /** Called with a line for each step that takes time. */
  readonly log: (line: string) => void;
  /** Whether this user may install packages; default: it is root. */
  readonly mayInstall?: boolean;
}

/** Chromium was not found and could not be installed; the message names the alternatives. */
export class ChromiumMissing extends Error {
  constructor(problem: string) {
    super(
      [
        `No Chromium to look at the Temporal UI with: ${problem}`,
        'One of these helps:',
        '  - install Chromium or Chrome so that `chromium`, `chromium-browser` or `google-chrome` is on the PATH',
        '  - set CHROMIUM_PATH to its program file',
        '  - on Debian, run as root with a way to its package server: `apt-get install chromium` is tried',
      ].join('\n'),
    );
    this.name = 'ChromiumMissing';
  }
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const APT_TIMEOUT_MS = 240_000;

/** Chromium's program file: by `CHROMIUM_PATH`, on the PATH, or from Debian's package if it can be installed. */
export async function findChromium(options: FindOptions): Promise<string> {
  const { env, log, mayInstall = process.getuid?.() === 0 } = options;
  const named = env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') {
    if (await isProgram(named)) return named;
    throw new ChromiumMissing(`CHROMIUM_PATH names ${named}, which is no program file`);
  }
  const found = await onPath(env);
  if (found !== null) return found;
  if (!mayInstall || (await firstOnPath('apt-get', env)) === null) {
    throw new ChromiumMissing(`none of ${NAMES.join(', ')} is on the PATH`);
  }
  log('installing Chromium (apt-get) …');
  const problem = await install(env);
  const installed = problem === null ? await onPath(env) : null;
  if (installed === null) throw new ChromiumMissing(problem ?? 'apt-get brought none');
  return installed;
}

/** The reason of a failed installation; null: it succeeded. */
async function install(env: NodeEnv): Promise<string | null> {
  const quiet = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, timeoutMs: APT_TIMEOUT_MS };
  try {
    // Outdated package lists name packages that no longer exist; without lists apt finds no package.
    await runToEnd('apt-get', ['update', '-q'], quiet);
    const end = await runToEnd(
      'apt-get',
      ['install', '-q', '-y', '--no-install-recommends', 'chromium'],
      quiet,
    );
    return end.code === 0 ? null : `apt-get: ${end.stderr.trim().split('\n').at(-1) ?? ''}`;
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return String(error);
  }
}

async function onPath(env: NodeEnv): Promise<string | null> {
  for (const name of NAMES) {
    const found = await firstOnPath(name, env);
    if (found !== null) return found;
  }
  return null;
}

async function firstOnPath(name: string, env: NodeEnv): Promise<string | null> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const candidate = join(folder, name);
    if (folder !== '' && (await isProgram(candidate))) return candidate;
  }
  return null;
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
