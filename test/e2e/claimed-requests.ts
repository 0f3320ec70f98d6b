import { Client } from 'pg';

export interface ClaimedNumber {
  readonly number: number;
  readonly kind: 'create' | 'lookup' | 'withdrawal';
}

/** The claimed numbers of a transfer, in order. */
export async function claimedNumbers(databaseUrl: string, originId: number): Promise<ClaimedNumber[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<ClaimedNumber>(
      'select number, kind from giro.request where origin_id = $1 order by number',
      [originId],
    );
    return rows;
  } finally {
    await client.end();
  }
}
