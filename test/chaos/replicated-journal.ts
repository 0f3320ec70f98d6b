import { Client } from 'pg';
import { until } from '../../dev/giro-environment';
import { startPostgres, startStandby } from '../../dev/postgres';
import type { Scope } from '../../dev/scope';
import { openLine } from '../../dev/simulate/line';
import type { Line } from '../../dev/simulate/line';
import { migrateJournal } from '../../src/journal/migrate';

/** A journal with a streaming standby. */
export interface ReplicatedJournal {
  /** Leads to the current primary, as a virtual address does. */
  readonly url: string;
  /** The connection from the primary to the standby. */
  readonly replication: Pick<Line, 'become'>;
  /** Resolves when the standby has everything that is committed now. */
  caughtUp(): Promise<void>;
  /** Kills all processes of the primary (SIGKILL). */
  killPrimary(): Promise<void>;
  /** Promotes the standby to primary. */
  promote(): Promise<void>;
}

const log = (line: string): void => console.error(line);
const DATABASE = 'giro';

/** `synchronous`: a commit waits for the disks of both. */
export async function startReplicatedJournal(
  scope: Scope,
  { isSynchronous }: { readonly isSynchronous: boolean },
): Promise<ReplicatedJournal> {
  const primary = scope.own(await startPostgres({ log, durable: true }), (it) => it.stop());
  const replication = await openLine(scope, { port: portOf(primary.adminUrl) });
  await migrateJournal(await primary.createDatabase(DATABASE));
  const standby = scope.own(await startStandby(primary, { log, durable: true, line: replication }), (it) =>
    it.stop(),
  );
  const streaming = (states: readonly string[]) =>
    until(
      () =>
        query<{ sync_state: string }>(
          primary.adminUrl,
          `select sync_state from pg_stat_replication where application_name = 'standby' and state = 'streaming'`,
        ),
      ([row]) => row !== undefined && states.includes(row.sync_state),
    );
  if (isSynchronous) {
    await query(primary.adminUrl, `alter system set synchronous_standby_names = 'standby'`);
    await query(primary.adminUrl, 'select pg_reload_conf()');
  }
  await streaming([isSynchronous ? 'sync' : 'async']);

  let current = primary;
  const address = await openLine(scope, {
    get port() {
      return portOf(current.adminUrl);
    },
  });
  const url = new URL(primary.adminUrl);
  url.port = String(address.port);
  url.pathname = `/${DATABASE}`;
  return {
    url: url.href,
    replication,
    caughtUp: async () => {
      const [{ lsn } = { lsn: '' }] = await query<{ lsn: string }>(
        primary.adminUrl,
        'select pg_current_wal_insert_lsn()::text as lsn',
      );
      await query(primary.adminUrl, 'select pg_switch_wal()');
      await until(
        () =>
          query<{ isThere: boolean }>(
            standby.adminUrl,
            `select pg_last_wal_replay_lsn() >= '${lsn}'::pg_lsn as "isThere"`,
          ),
        ([row]) => row?.isThere === true,
      );
    },
    killPrimary: () => primary.kill(),
    promote: async () => {
      await query(standby.adminUrl, 'select pg_promote(true, 60)');
      current = standby;
    },
  };
}

const portOf = (url: string): number => Number(new URL(url).port);

async function query<Row extends Record<string, unknown>>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
