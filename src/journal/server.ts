import { openDatabase } from './database';

/** How PostgreSQL treats the commits of the journal's sessions. */
export interface Durability {
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  /** `on`, `off`, `local`, `remote_write`, `remote_apply`. */
  readonly synchronousCommit: string;
  /** `synchronous_standby_names` names a standby. */
  readonly asksForStandby: boolean;
  /**
   * Connections that receive the write-ahead log, except logical ones and base backups, as far as these are
   * recognisable.
   */
  readonly standbys: number;
  /** Standbys for which commits wait; null: this login may not see which. */
  readonly synchronousStandbys: number | null;
}

/**
 * Read in a session like those of the journal, so it includes settings of a role, a database or a pooler in between.
 * Any login sees the process ids of the senders; logins that may read statistics also see their state.
 */
const DURABILITY = {
  name: 'durability',
  text: `select
  current_setting('fsync')::boolean as fsync,
  current_setting('full_page_writes')::boolean as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  btrim(current_setting('synchronous_standby_names')) <> '' as asks_for_standby,
  r.standbys, r.synchronous_standbys
from (
  select count(*)::integer as standbys,
    case when count(*) = count(r.sync_state)
      then (count(*) filter (where r.sync_state in ('sync', 'quorum')))::integer end as synchronous_standbys
  from pg_stat_replication r
  where r.state is distinct from 'backup'
    and not exists (
      select from pg_replication_slots s where s.active_pid = r.pid and s.slot_type = 'logical'
    )
) r`,
};

interface Row {
  readonly fsync: boolean;
  readonly full_page_writes: boolean;
  readonly synchronous_commit: string;
  readonly asks_for_standby: boolean;
  readonly standbys: number;
  readonly synchronous_standbys: number | null;
}

/** Throws as every statement of the journal does. */
export async function readDurability(url: string): Promise<Durability> {
  // The journal's roles may not see the senders' states; the login may, if it was granted `pg_read_all_stats`.
  const database = openDatabase(url, { poolMax: 1, identity: 'login' });
  try {
    const [row] = await database.run<Row>(DURABILITY, []);
    if (row === undefined) throw new Error('a select without a table has one row');
    return {
      fsync: row.fsync,
      fullPageWrites: row.full_page_writes,
      synchronousCommit: row.synchronous_commit,
      asksForStandby: row.asks_for_standby,
      standbys: row.standbys,
      synchronousStandbys: row.synchronous_standbys,
    };
  } finally {
    await database.close();
  }
}

/** PostgreSQL's clock in ms since the epoch. Throws as every statement of the journal does. */
export async function readServerClock(url: string): Promise<number> {
  const database = openDatabase(url, { poolMax: 1, identity: 'login' });
  try {
    const [row] = await database.run<{ now: Date }>(
      { name: 'server-clock', text: 'select clock_timestamp() as now' },
      [],
    );
    return row?.now.getTime() ?? NaN;
  } finally {
    await database.close();
  }
}
