import { Client, Connection } from '@temporalio/client';
import { giro, NO_SERVERS } from './support/memory-io';

/** Lists that end at `--limit`; the journal is a stub with three records. */

const AT = '2026-01-05T10:00:00.000Z';
const incident = (id: string) => ({
  ...{ id, originId: 4711, fact: 'STATUS', sentence: '', finalStatus: 'COMPLETED', bankStatus: 'FAILED' },
  ...{ movementId: null, networkId: null, evidenceSha256: null, at: AT, acknowledged: null },
});
const verification = (requestId: string) => ({
  ...{ requestId, openedAt: AT, isTracked: false, status: 'Aprobado', statusDate: null },
  ...{ attentionReasons: [], history: [], result: null, endedAt: AT, answerKeptAt: null },
});
const firstOf =
  <T>(make: (id: string) => T) =>
  ({ limit }: { limit: number }) =>
    Promise.resolve(['r1', 'r2', 'r3'].map(make).slice(0, limit));
const overrides = {
  journal: { incidents: firstOf(incident), verifications: firstOf(verification) },
  temporal: {
    client: new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) }),
    config: { taskQueue: 'giro' },
  },
} as never;

describe.each(['incident list', 'kyc list'])('%s', (command) => {
  const run = (more: string) => giro(`${command} ${more}`.split(' '), { env: NO_SERVERS, overrides });

  test('says on stderr that there are more', async () => {
    const { code, stdout, stderr } = await run('--limit 2');
    expect([code, stderr]).toEqual([0, 'there are more than these 2: --limit takes up to 10000\n']);
    // A line of titles, and two records.
    expect(stdout.trim().split('\n')).toHaveLength(3);
    const json = await run('--limit 2 --json');
    expect(JSON.parse(json.stdout)).toHaveLength(2);
    expect(json.stderr).toBe(stderr);
  });

  test('says nothing when it shows all', async () => {
    const { stdout, stderr } = await run('--limit 3 --json');
    expect([(JSON.parse(stdout) as unknown[]).length, stderr]).toEqual([3, '']);
  });
});
