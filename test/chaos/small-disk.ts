import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../../dev/scope';

/** A file system in memory, so small that it can be filled. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk completely, again if something was deleted meanwhile. */
  fill(): void;
  /** Deletes the files that fill the disk. */
  free(): void;
}

/** Whether this process may mount a file system: tries it. */
export function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'giro-disk-'));
  const isMounted = mount(folder, 1).status === 0;
  if (isMounted) unmount(folder);
  rmdirSync(folder);
  return isMounted;
}

export function mountSmallDisk(scope: Scope, megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'giro-disk-'));
  const { status, stderr } = mount(folder, megabytes);
  if (status !== 0) {
    rmdirSync(folder);
    throw new Error(`a disk of ${megabytes} MB cannot be mounted: ${stderr.trim()}`);
  }
  const ballast = join(folder, 'ballast');
  return scope.own(
    { folder, fill: () => fillUp(ballast), free: () => rmSync(ballast, { force: true }) },
    () => {
      unmount(folder);
      rmdirSync(folder);
    },
  );
}

// The account that runs PostgreSQL must have access.
const mount = (folder: string, megabytes: number) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder], {
    encoding: 'utf8',
  });

function unmount(folder: string): void {
  const { status, stderr } = spawnSync('umount', [folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${folder} stays mounted: ${stderr.trim()}`);
}

const CHUNKS = [1_048_576, 4_096].map((bytes) => Buffer.alloc(bytes, 'x'));

function fillUp(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const chunk of CHUNKS) while (isWritten(file, chunk));
  } finally {
    closeSync(file);
  }
}

/** False: the disk is full. */
function isWritten(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
