import { openDatabase } from './database';

/** PostgreSQL's clock in ms since the epoch. Throws as every statement of the journal does. */
export async function readServerClock(url: string): Promise<number> {
  const database = openDatabase(url, { poolMax: 1 });
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
