import { tokenAccess } from '../../dev/bank-access';
import { BANK_TOKEN, startGiroEnvironment } from '../../dev/giro-environment';
import { planOf } from '../../dev/simulate/plan';
import { simulate } from '../../dev/simulate/simulate';
import { storyOf } from '../../dev/simulate/story';
import { Scope } from '../../dev/scope';
import { nextOriginId } from '../e2e/environment';
import { createTestDatabase } from '../support/journal-database';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';

/** `SIMULATE_SEED` tries another one. */
const SEED = Number(process.env['SIMULATE_SEED'] ?? 2);
const TRANSFERS = 20;
const MAX_MS = 180_000;

const scope = new Scope();
afterAll(() => scope.release(), 60_000);

test('many faults at once, by seed: the books show every promise kept', async () => {
  quietRuntime({ core: 'ERROR' });
  const { temporalAddress, workflowBundlePath } = testServers();
  const database = scope.own(await createTestDatabase(), (it) => it.drop());
  const taskQueue = `giro-simulate-${nextOriginId()}`;
  const where = { temporalAddress, databaseUrl: database.url, taskQueue };
  const env = scope.own(await startGiroEnvironment({ ...where, workflowBundlePath }), (it) => it.close());

  const firstOriginId = nextOriginId();
  const plan = planOf({ seed: SEED, transfers: TRANSFERS, firstOriginId });
  const say = (line: string): void => void process.stderr.write(`simulation: ${line}\n`);
  say(`npm run simulate -- --seed ${SEED} --transfers ${TRANSFERS} repeats it`);
  const { violations, done, books } = await simulate(
    plan,
    { ...where, env, access: tokenAccess(env.bank, BANK_TOKEN) },
    { maxMs: MAX_MS, say },
  );
  say(JSON.stringify(done));
  const story = violations.length === 0 ? [] : storyOf(plan, (originId) => originId - firstOriginId + 1);
  expect({ violations, story }).toEqual({ violations: [], story: [] });

  // What was audited was there to be audited.
  expect(books.journal.transfer).toHaveLength(TRANSFERS);
  expect(books.histories.length).toBeGreaterThanOrEqual(TRANSFERS);
  expect(books.journal.events.length).toBeGreaterThanOrEqual(books.journal.result.length);
  expect(done.ended['COMPLETED']).toBeGreaterThan(0);
  expect(done.ended['FAILED']).toBeGreaterThan(0);
  expect(done.kills).toBeGreaterThan(1);
  expect(done.receiverKills).toBeGreaterThan(0);
}, 480_000);
