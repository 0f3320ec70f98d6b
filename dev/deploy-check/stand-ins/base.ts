import { access, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../cache-folder';
import type { NodeEnv } from '../../node-env';
import type { ContainerEngine } from '../engine';
import { CannotRun, run, works } from '../../run';

/** Debian packages of the programs that the stand-ins run. All stand-ins share one file system. */
const PACKAGES = [
  ...['ca-certificates', 'wget', 'nginx-light', 'postgresql-client', 'prometheus', 'prometheus-alertmanager'],
  // Libraries of the PostgreSQL programs from npm.
  ...['libxml2', 'libxslt1.1', 'libedit2', 'zlib1g'],
];
const SUITE = 'bookworm';
export const BASE_IMAGE = 'giro-stand-in:base';
const FRESH_MS = 30 * 86_400_000;
/** Debian's file of trusted certificates. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

interface Options {
  readonly engine: ContainerEngine;
  readonly env: NodeEnv;
  readonly log: (line: string) => void;
}

/** Makes the base image of the stand-ins from Debian packages. */
export async function makeBase({ engine, env, log }: Options): Promise<void> {
  const file = await rootFileSystem(env, log);
  await engine.docker(['import', file, BASE_IMAGE]);
}

async function rootFileSystem(env: NodeEnv, log: (line: string) => void): Promise<string> {
  const shelf = join(await cacheFolder(env), 'deploy-check');
  const file = join(shelf, `${SUITE}-root.tar`);
  const age = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Infinity,
  );
  if (age < FRESH_MS) return file;
  if (!(await works('mmdebstrap', ['--version'], env)))
    throw new CannotRun('stand-in images are made with mmdebstrap (Debian: apt-get install mmdebstrap)');
  await mkdir(shelf, { recursive: true });
  log('making a Debian root file system (2 min, once) …');
  const incoming = join(shelf, `.${SUITE}-root-${process.pid}.tar`);
  try {
    await run(
      'mmdebstrap',
      [
        ...['--variant=minbase', `--include=${PACKAGES.join()}`],
        ...['--aptopt=Apt::Install-Recommends "false"', '--dpkgopt=path-exclude=/usr/share/doc/*'],
        ...['--dpkgopt=path-exclude=/usr/share/man/*', '--dpkgopt=path-exclude=/usr/share/locale/*'],
        // The containers trust the same certificate authorities as this machine.
        ...(await certificatesHook()),
        ...[SUITE, incoming],
      ],
      { env },
    );
    await rename(incoming, file);
  } finally {
    await rm(incoming, { force: true });
  }
  return file;
}

async function certificatesHook(): Promise<string[]> {
  const isThere = await access(CERTIFICATES).then(
    () => true,
    () => false,
  );
  return isThere ? [`--customize-hook=copy-in ${CERTIFICATES} /etc/ssl/certs`] : [];
}
