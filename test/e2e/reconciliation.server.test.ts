import { Client } from 'pg';
import type { Report } from '../../src/reconciliation/report';
import { toSecond } from '../../src/reconciliation/run-window';
import { giro as run } from '../commands/support/memory-io';
import { testServers } from '../support/servers';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** Books that are right, then each of them corrupted in its own place, through the commands. */

const environment = useEnvironment({
  settings: { pollActiveMs: 100 },
  rules: [
    { match: { description: 'fails' }, states: ['CREATED', 'FAILED'] },
    { match: { description: 'reversed' }, states: ['CREATED', 'COMPLETED', 'COMPLETED', 'FAILED'] },
    { states: ['CREATED', 'COMPLETED'] },
  ],
});

/** Moments that no other run of this file speaks of; the last is in the future by less than clocks differ. */
let asOfMs = Date.now() - 1_000;
const nextAsOf = (): string => toSecond((asOfMs += 1_000) + 2_000);

function giro(...args: string[]) {
  const { databaseUrl, taskQueue } = environment();
  return run(args, {
    env: {
      TEMPORAL_ADDRESS: testServers().temporalAddress,
      DATABASE_URL: databaseUrl,
      GIRO_TASK_QUEUE: taskQueue,
    },
  });
}

async function reconcile(asOf = nextAsOf(), ...more: string[]): Promise<{ code: number; report: Report }> {
  const { code, stdout, stderr } = await giro('reconcile', 'run', '--as-of', asOf, '--json', ...more);
  if (stdout === '') throw new Error(stderr);
  return { code, report: JSON.parse(stdout) as Report };
}

export async function owner(text: string, values: readonly unknown[] = []): Promise<void> {
  const client = new Client({ connectionString: environment().databaseUrl });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}

async function transferred(description: string): Promise<number> {
  const { env } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, description));
  await env.giro.waitForTransfer(originId);
  return originId;
}

test('books that agree are CLEAN; the same moment again is the same report', async () => {
  await Promise.all([transferred('plain'), transferred('plain'), transferred('fails')]);
  const asOf = nextAsOf();
  const { code, report } = await reconcile(asOf);
  expect(report).toMatchObject({ outcome: 'CLEAN', breaks: [], notAsked: [], breaksOpened: 0 });
  expect(code).toBe(0);
});
