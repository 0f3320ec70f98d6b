import type { JournalIdentity } from './identity';
import { openDatabase } from './database';
import { placeOf } from './connection';
import { JournalNotReady, JournalUnavailable } from './errors';
import { changedMessage, planMigrations, readMigrations } from './migration-files';
import type { AppliedMigration } from './migration-files';

export type JournalCheck =
  /** `newer`: migrations of a newer program; they are harmless. */
  | { readonly ready: true; readonly newer: readonly string[] }
  /** `problem`: one sentence that says what to do. */
  | { readonly ready: false; readonly problem: string };

/**
 * Whether the journal at `url` exists, has the version that this program needs, and is open to the role. Throws
 * `JournalUnavailable` when PostgreSQL cannot be reached, or cannot be written to: all reads of a standby work, and
 * nothing that Giro does would.
 */
export async function checkJournal(
  url: string,
  identity: JournalIdentity = 'giro_runtime',
): Promise<JournalCheck> {
  const known = await readMigrations();
  const database = openDatabase(url, { poolMax: 1, identity });
  try {
    const applied = await database.run<AppliedMigration & { number: number }>(
      {
        name: 'applied-migrations',
        text: 'select number, name, checksum from giro.migration order by number',
      },
      [],
    );
    const [session] = await database.run<{ is_read_only: boolean }>(
      { name: 'read-only', text: "select current_setting('transaction_read_only')::boolean as is_read_only" },
      [],
    );
    if (session?.is_read_only === true)
      throw new JournalUnavailable(`PostgreSQL at ${placeOf(url)}: is read-only, perhaps a standby`);
    const { pending, newer, changed } = planMigrations(known, applied);
    if (changed.length > 0) return { ready: false, problem: changedMessage(changed) };
    if (pending.length > 0) {
      return {
        ready: false,
        problem: `the journal lacks ${pending.map(({ name }) => name).join(', ')}: run setup`,
      };
    }
    return { ready: true, newer };
  } catch (error) {
    if (error instanceof JournalNotReady) return { ready: false, problem: error.message };
    throw error;
  } finally {
    await database.close();
  }
}
