import { readFileSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import { checkSearchAttributes } from '../../src/engine/search-attributes';
import { startPostgres } from '../../dev/postgres';
import { testServers } from '../support/servers';

describe('the servers of the tests', () => {
  it('PostgreSQL listens on loopback alone and asks for a password', async () => {
    const { postgresAdminUrl, templateDatabase } = testServers();
    const client = new Client({ connectionString: postgresAdminUrl });
    await client.connect();
    try {
      const { rows } = await client.query(
        `
        select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
          current_setting('password_encryption') as passwords,
          (select count(*)::int from pg_database where datname = $1) as templates`,
        [templateDatabase],
      );
      expect(rows).toEqual([
        { addresses: '127.0.0.1', sockets: '', passwords: 'scram-sha-256', templates: 1 },
      ]);
    } finally {
      await client.end();
    }
    const stranger = new Client({ connectionString: postgresAdminUrl.replace(/:[^:@]+@/, ':guess@') });
    await expect(stranger.connect()).rejects.toMatchObject({ code: '28P01' });
  });

  it('Temporal has the search attributes', async () => {
    const connection = await Connection.connect({ address: testServers().temporalAddress });
    try {
      expect(await checkSearchAttributes(connection, 'default')).toEqual({ missing: [], wrong: [] });
    } finally {
      await connection.close();
    }
  });

  it('the workflows are bundled', () => {
    expect(readFileSync(testServers().workflowBundlePath, 'utf8')).toContain('__TEMPORAL__');
  });
});

test('PostgreSQL that is killed with all its processes keeps what it confirmed; a stopped one answers later', async () => {
  const postgres = await startPostgres({ durable: true, log: () => undefined });
  const query = async (text: string): Promise<unknown[]> => {
    const client = new Client({ connectionString: postgres.adminUrl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<{ n: number }>(text)).rows;
    } finally {
      await client.end();
    }
  };
  try {
    await query('create table kept (n integer); insert into kept values (7)');
    await postgres.kill();
    await expect(query('select 1')).rejects.toThrow();
    await postgres.resume();
    expect(await query('select n from kept')).toEqual([{ n: 7 }]);

    postgres.freeze();
    const asked = { isAnswered: false };
    const answer = query('select n from kept').finally(() => (asked.isAnswered = true));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(asked.isAnswered).toBe(false);
    postgres.thaw();
    expect(await answer).toEqual([{ n: 7 }]);
  } finally {
    postgres.thaw();
    await postgres.stop();
  }
});
