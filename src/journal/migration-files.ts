import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Next to this file, in the sources and in the build alike. */
const FOLDER = path.join(__dirname, 'migrations');

const FILE_NAME = /^([0-9]{4})-[a-z0-9-]+\.sql$/;

export interface Migration {
  readonly number: number;
  /** The file's name, e.g. `0002-transfers.sql`. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text with line feeds only: a checkout may have turned line feeds into CR LF. */
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

const NO_TRANSACTION = '-- no transaction\n';

/**
 * The statements of a file whose first line is `-- no transaction`; null: any other file. Such a file holds statements
 * that PostgreSQL permits only outside a transaction, such as `create index concurrently`. Each statement ends with `;`
 * at the end of a line, so the file has no function bodies. If a statement fails, the earlier ones stay, and the next
 * run begins at the first again.
 */
export function statementsOutsideTransaction(sql: string): readonly string[] | null {
  if (!sql.startsWith(NO_TRANSACTION)) return null;
  return sql
    .slice(NO_TRANSACTION.length)
    .split(/(?<=;)[ \t]*$/m)
    .filter((statement) => statement.trim() !== '');
}

export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

export interface MigrationPlan {
  readonly pending: readonly Migration[];
  /** Applied, but unknown here: from a newer program. What that program added is harmless. */
  readonly newer: readonly string[];
  /** Applied with another text than this program has under that number; the names in the database. */
  readonly changed: readonly string[];
}

export function planMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): MigrationPlan {
  const appliedNumbers = new Set(applied.map(({ number }) => number));
  const checksums = new Map(known.map(({ number, checksum }) => [number, checksum]));
  return {
    pending: known.filter(({ number }) => !appliedNumbers.has(number)),
    newer: applied.filter(({ number }) => !checksums.has(number)).map(({ name }) => name),
    changed: applied
      .filter(({ number, checksum }) => (checksums.get(number) ?? checksum) !== checksum)
      .map(({ name }) => name),
  };
}

/** For a developer who has changed an applied migration: a change needs a new migration. */
export const changedMessage = (changed: readonly string[]): string =>
  `another build made this journal: ${changed.join(', ')} ${changed.length === 1 ? 'differs' : 'differ'}. ` +
  'Run that build; a journal that has sent anything is never replaced by an empty one';
