import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { testServers } from './servers';

export interface TestDatabase {
  /** URL with the owner's login, like DATABASE_URL. */
  readonly url: string;
  drop(): Promise<void>;
}

const SOURCE_IN_USE = '55006';
const ATTEMPTS_MAX = 100;

/** A separate database for one test file: a copy of the migrated template, or an empty database. */
export async function createTestDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<TestDatabase> {
  const { postgresAdminUrl, templateDatabase } = testServers();
  const name = `giro_test_${randomBytes(8).toString('hex')}`;
  const template = kind === 'migrated' ? templateDatabase : 'template0';
  await asAdmin(postgresAdminUrl, async (admin) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await admin.query(`create database ${name} template ${template}`);
        return;
      } catch (error) {
        // Another test file is copying the template; PostgreSQL has waited 5 s already.
        const inUse = error instanceof Error && 'code' in error && error.code === SOURCE_IN_USE;
        if (!inUse || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  });
  const url = new URL(postgresAdminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () =>
      asAdmin(postgresAdminUrl, async (admin) => {
        await admin.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

async function asAdmin(url: string, work: (admin: Client) => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
