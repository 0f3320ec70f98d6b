import { readFileSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import { checkSearchAttributes } from '../../src/engine/search-attributes';
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

  it('Temporal has the search attributes and lets workflows skip time', async () => {
    const connection = await Connection.connect({ address: testServers().temporalAddress });
    try {
      expect(await checkSearchAttributes(connection, 'default')).toEqual({ missing: [], wrong: [] });
      const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      expect(namespaceInfo?.name).toBe('default');
    } finally {
      await connection.close();
    }
  });

  it('the workflows are bundled', () => {
    expect(readFileSync(testServers().workflowBundlePath, 'utf8')).toContain('__TEMPORAL__');
  });
});
