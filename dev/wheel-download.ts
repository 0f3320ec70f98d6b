import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from './child';
import type { NodeEnv } from './node-env';

const DOWNLOAD_TIMEOUT_MS = 600_000;
const PYTHONS = ['python3', 'python'];

/** The user's pip settings that would change or prevent the download. Index, proxy and CA stay. */
const PIP_SETTINGS_DROPPED = [
  'PIP_CONSTRAINT',
  'PIP_REQUIREMENT',
  'PIP_USER',
  'PIP_TARGET',
  'PIP_PREFIX',
  'PIP_ROOT',
  'PIP_PLATFORM',
  'PIP_PYTHON_VERSION',
  'PIP_IMPLEMENTATION',
  'PIP_ABI',
];

export interface WheelRequest {
  /** `name==version` */
  readonly requirement: string;
  /** Digests of the allowed files. */
  readonly sha256: readonly string[];
  /** Where to put the wheel. */
  readonly folder: string;
  readonly env: NodeEnv;
}

/** Downloads one wheel with pip, which checks it against the digests; installs nothing. */
export async function downloadWheel(request: WheelRequest): Promise<{ python: string; file: string }> {
  const requirements = join(request.folder, 'requirements.txt');
  const hashes = request.sha256.map((digest) => `--hash=sha256:${digest}`);
  await writeFile(requirements, [request.requirement, ...hashes].join(' \\\n  ') + '\n');

  const env = pipEnvironment(request.env);
  const python = await pythonWithPip(env);
  const args = ['--no-deps', '--only-binary=:all:', '--require-hashes', '--disable-pip-version-check'];
  const end = await runToEnd(
    python,
    ['-m', 'pip', 'download', ...args, '--no-input', '-d', request.folder, '-r', requirements],
    { env, timeoutMs: DOWNLOAD_TIMEOUT_MS },
  );
  if (end.code !== 0) {
    throw new Error(`\`${python} -m pip download ${request.requirement}\` failed:\n${lastLines(end.stderr)}`);
  }
  const wheel = (await readdir(request.folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error(`pip brought no wheel of ${request.requirement}`);
  return { python, file: join(request.folder, wheel) };
}

function pipEnvironment(env: NodeEnv): NodeEnv {
  const kept = Object.entries(env).filter(([name]) => !PIP_SETTINGS_DROPPED.includes(name));
  // Many users set PIP_REQUIRE_VIRTUALENV to keep pip from changing the system's Python; a download changes nothing.
  return { ...Object.fromEntries(kept), PIP_REQUIRE_VIRTUALENV: '0' };
}

async function pythonWithPip(env: NodeEnv): Promise<string> {
  const problems: string[] = [];
  for (const python of PYTHONS) {
    const end = await runToEnd(python, ['-m', 'pip', '--version'], { env, timeoutMs: 60_000 });
    if (end.code === 0 && /\(python 3\./.test(end.stdout)) return python;
    problems.push(`${python}: ${lastLines(end.stderr || end.stdout, 1)}`);
  }
  throw new Error(`no Python 3 with pip (${problems.join('; ')})`);
}

function lastLines(text: string, count = 6): string {
  return text.trim().split('\n').slice(-count).join('\n');
}
