import { Pool } from 'pg';
import { placeOf, runtimeConnection } from './connection';
import type { Timeouts } from './connection';
import type { Database, RunOptions, Statement } from './context';
import { journalError } from './errors';
import type { JournalIdentity } from './identity';

export interface OwnedDatabase extends Database {
  readonly close: () => Promise<void>;
}

export interface DatabaseOptions {
  /** Maximum number of open connections; default 10. */
  readonly poolMax?: number;
  /** Default: the worker's. */
  readonly identity?: JournalIdentity;
  readonly timeouts?: Timeouts;
}

export const POOL_MAX_DEFAULT = 10;

/** Connects when first needed: the first statement reports a server that is down. */
export function openDatabase(url: string, options: DatabaseOptions = {}): OwnedDatabase {
  const place = placeOf(url);
  const { identity = 'giro_runtime' } = options;
  const pool = new Pool({
    ...runtimeConnection(url, identity, options.timeouts),
    max: options.poolMax ?? POOL_MAX_DEFAULT,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  return {
    async run<Row extends object>(
      { name, text, replan }: Statement,
      values: readonly unknown[] | (() => readonly unknown[]),
      { onSend }: RunOptions = {},
    ) {
      try {
        // Waits for a connection at most as long as the connect time-out.
        const client = await pool.connect();
        // A connection that breaks meanwhile fails the statement; without a listener it would end the process too.
        const broken = (): void => undefined;
        client.on('error', broken);
        let failure: unknown = null;
        try {
          onSend?.();
          const { rows } = await client.query<Row>({
            ...(replan === true ? {} : { name: `giro.${name}` }),
            text,
            values: [...(typeof values === 'function' ? values() : values)],
          });
          return rows;
        } catch (error) {
          failure = error;
          throw error;
        } finally {
          client.off('error', broken);
          client.release(failure !== null);
        }
      } catch (error) {
        throw journalError(error, name, place, identity);
      }
    },
    close: () => pool.end(),
  };
}
