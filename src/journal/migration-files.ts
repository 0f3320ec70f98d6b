import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Beside this file, in the sources and in the build alike. */
const FOLDER = path.join(__dirname, 'migrations');

const FILE_NAME = /^([0-9]{4})-[a-z0-9-]+\.sql$/;

export interface Migration {
  readonly number: number;
  /** The file's name, e.g. `0002-tables.sql`. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text with line feeds only: a checkout may have turned them into CR LF. */
  readonly checksum: string;
}

/** All migrations of this program in order: 1, 2, 3… without a gap. `folder`: default, the program's own. */
export async function readMigrations(folder: string = FOLDER): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const number = Number(FILE_NAME.exec(name)?.[1]);
      if (number !== index + 1) throw new Error(`migration ${name} is not named as number ${index + 1}`);
      const sql = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      return { number, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

export interface MigrationPlan {
  readonly pending: readonly Migration[];
  /** In the database and not known here: a newer program was there. What it added is not in the way. */
  readonly newer: readonly string[];
  /** Applied with another text than this program has. */
  readonly changed: readonly string[];
}

export function planMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): MigrationPlan {
  const appliedByNumber = new Map(applied.map((one) => [one.number, one]));
  const knownNumbers = new Set(known.map(({ number }) => number));
  return {
    pending: known.filter(({ number }) => !appliedByNumber.has(number)),
    newer: applied.filter(({ number }) => !knownNumbers.has(number)).map(({ name }) => name),
    changed: known
      .filter(({ number, checksum }) => (appliedByNumber.get(number)?.checksum ?? checksum) !== checksum)
      .map(({ name }) => name),
  };
}

export const changedMessage = (changed: readonly string[]): string =>
  `the journal was made by another text of ${changed.join(', ')}: an applied migration never changes, add a new one`;
