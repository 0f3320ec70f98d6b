import { Client } from 'pg';
import { until } from '../../dev/giro-environment';
import { createTestDatabase } from '../support/journal-database';
import type { TestDatabase } from '../support/journal-database';
import { startTestHinting } from './support/test-hinting';
import type { TestHinting } from './support/test-hinting';
import { startSealingReceiver } from './support/test-receiver';
import type { TestReceiver } from './support/test-receiver';

const POISON = 45;
/**
 * Most notifications that are read while one page of health is served. The page takes a few turns of the event loop, and
 * in each of them one notification is read.
 */
const READ_BETWEEN_MAX = 6;
/** Ends a loop that would never end; far longer than a busy machine needs. */
const HANG_MS = 300_000;

let database: TestDatabase;
let sql: Client;
let receiver: TestReceiver;
let hinting: TestHinting | null = null;
let keysFile: string;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = new Client({ connectionString: database.url });
  await sql.connect();
  ({ receiver, keysFile } = await startSealingReceiver(database.url));
});
afterAll(async () => {
  await hinting?.stop();
  await receiver.stop();
  await sql.end();
  await database.drop();
});

/** 100 objects beside a list of 120,000: each object may be a movement, and all of them share what is beside. */
const poison = (i: number): string =>
  JSON.stringify({
    data: Array.from({ length: 100 }, (_, j) => ({ originId: 10 + i * 100 + j })),
    more: Array<number>(120_000).fill(0),
  });

const post = async (body: string): Promise<number> =>
  (await fetch(receiver.url, { method: 'POST', body })).status;

async function outcomes(): Promise<Readonly<Record<string, number>>> {
  const { rows } = await sql.query<{ outcome: string; count: number }>(
    `select coalesce(outcome, 'waits') as outcome, count(*)::integer as count from giro.notification group by 1`,
  );
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
}

test('45 notifications of the worst shape: each is stored and processed, and health is served meanwhile', async () => {
  expect(poison(0).length).toBeGreaterThan(240_000);
  for (let i = 0; i < POISON; i++) expect(await post(poison(i))).toBe(200);
  expect(await outcomes()).toEqual({ waits: POISON });

  expect(await post(JSON.stringify({ type: 'CREDIT_TRANSFER_RECEIVED' }))).toBe(200);
  hinting = await startTestHinting(database.url, { env: { CODEC_KEYS_FILE: keysFile } });
  const { log } = hinting;
  const readSoFar = (): number => log().split('has more content than Giro reads').length - 1;
  // Receiver and worker share this process: only between two notifications can health be served.
  const answeredAfter = [readSoFar()];
  const deadlineMs = Date.now() + HANG_MS;
  do {
    if (Date.now() > deadlineMs) throw new Error(`only ${readSoFar()} of ${POISON} are read`);
    expect((await fetch(`${receiver.healthUrl}/healthz`)).status).toBe(200);
    answeredAfter.push(readSoFar());
  } while (readSoFar() < POISON);
  // Otherwise the processing began too early for this test to see it.
  expect(answeredAfter[0]).toBeLessThan(POISON / 2);
  const readBetween = answeredAfter.slice(1).map((read, i) => read - (answeredAfter[i] ?? 0));
  expect(Math.max(...readBetween)).toBeLessThanOrEqual(READ_BETWEEN_MAX);
  await until(outcomes, ({ waits = 0 }) => waits === 0);
  expect(await outcomes()).toEqual({ 'not-ours': POISON + 1 });
});
