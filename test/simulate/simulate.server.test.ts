import { planOf } from '../../dev/simulate/plan';
import { simulate } from '../../dev/simulate/simulate';
import type { SimulationOutcome } from '../../dev/simulate/simulate';
import { storyOf } from '../../dev/simulate/story';
import { openSystem, startServers } from '../../dev/simulate/system';
import type { SimulationServers } from '../../dev/simulate/system';
import { Scope } from '../../dev/scope';

/** `SIMULATE_SEED` tries another one. */
const SEEDS = [Number(process.env['SIMULATE_SEED'] ?? 3)];
const TRANSFERS = 12;
const MAX_MS = 900_000;
const ORIGIN_IDS_EACH = 1_000;

const say = (line: string): void => void process.stderr.write(`simulation: ${line}\n`);

// Servers of their own: they are killed too.
const scope = new Scope();
let servers: SimulationServers;
beforeAll(async () => {
  servers = await startServers(scope, say);
});
afterAll(() => scope.release());

const done: SimulationOutcome['done'][] = [];

test.each(SEEDS)(
  'many faults at once, seed %i: the books show every promise kept',
  async (seed) => {
    const firstOriginId = SEEDS.indexOf(seed) * ORIGIN_IDS_EACH + 1;
    const plan = planOf({ seed, transfers: TRANSFERS, firstOriginId });
    const own = new Scope();
    try {
      say(`npm run simulate -- --seed ${seed} --transfers ${TRANSFERS} repeats it`);
      const system = await openSystem(own, servers, plan);
      const played = await simulate(plan, system, { maxMs: MAX_MS, say });
      done.push(played.done);
      say(JSON.stringify(played.done));
      const { violations, books } = played;
      const story = violations.length === 0 ? [] : storyOf(plan, (originId) => originId - firstOriginId + 1);
      expect({ violations, story }).toEqual({ violations: [], story: [] });

      // The audit had something to check.
      expect(books.journal.transfer).toHaveLength(TRANSFERS);
      expect(books.histories.length).toBeGreaterThanOrEqual(TRANSFERS);
      expect(books.journal.events.length).toBeGreaterThanOrEqual(books.journal.result.length);
    } finally {
      await own.release();
    }
  },
  MAX_MS + 240_000,
);

test('the faults of the plans were met', () => {
  const sum = (count: (it: SimulationOutcome['done']) => number): number =>
    done.reduce((total, it) => total + count(it), 0);
  expect(sum(({ ended }) => ended['COMPLETED'] ?? 0)).toBeGreaterThan(0);
  expect(sum(({ ended }) => ended['FAILED'] ?? 0)).toBeGreaterThan(0);
  expect(sum(({ kills }) => kills)).toBeGreaterThan(SEEDS.length);
  expect(sum(({ receiverKills }) => receiverKills)).toBeGreaterThan(0);
  expect(sum(({ systemFaults }) => Object.keys(systemFaults).length)).toBeGreaterThan(0);
});
