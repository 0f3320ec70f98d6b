import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import type { ReplayHistoriesIterable } from '@temporalio/worker';
import { stateOf } from '../../dev/giro-environment';
import { handledEvents } from '../../dev/handled-events';
import { numbersOf } from '../../dev/simulate/random';
import type { TransferActivityContext } from '../../src/activities/context';
import type { DecisionAction } from '../../src/client';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/**
 * Queries, hints, decisions and cancels without a pause, workers that come and go, runs that continue as new after
 * each look-up: whatever a run decided, it decides the same in a replay.
 */
quietRuntime({ core: 'ERROR' });

/** Transfers of each scenario; more of them find what is rare. */
const OF_EACH = Number(process.env['STORM_OF_EACH'] ?? 2);
/**
 * `STORM_SEED` repeats what is sent, in which order and after which pauses. Where that meets a run is up to machine and
 * servers: histories that did not replay are kept.
 */
const SEED = Number(process.env['STORM_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
const STORM_MS = 15_000;
const STORM_MAX_MS = 150_000;
/** A step may last longer than the shortest pause between two queries. */
const STEP_MAX_MS = 150;
const WORKER_LIVES_MS = 2_500;
/** Of each; a limit for hangs. */
const END_WITHIN_MS = 180_000;

const STATES = [...Array<string>(5).fill('IN_PROGRESS'), 'COMPLETED'];
const WRONG = { set: { 'details.amount': 1 } };

/** What the bank does with the orders of each scenario, and how the transfer may end. */
const SCENARIOS = {
  'open in a storm': { rule: { states: STATES }, ends: ['COMPLETED', 'WITHDRAWN'], cancelledAfterMs: 4_000 },
  'fails in a storm': {
    rule: { states: STATES.with(-1, 'FAILED') },
    ends: ['FAILED'],
    cancelledAfterMs: null,
  },
  'held in a storm': {
    rule: { states: STATES, echo: [{ ...WRONG, until: 12 }] },
    ends: ['COMPLETED'],
    cancelledAfterMs: null,
  },
  'unknown word': {
    rule: { states: [...Array<string>(12).fill('RETURNED'), 'COMPLETED'] },
    ends: ['COMPLETED', 'FAILED'],
    cancelledAfterMs: null,
  },
  'cancelled beside a create': {
    rule: { create: [{ fault: 'slow', delayMs: 1_500 }], states: STATES.slice(-3) },
    ends: ['COMPLETED', 'WITHDRAWN'],
    cancelledAfterMs: 200,
  },
  'cancelled while it is unclear': {
    rule: { create: ['lost-answer'], states: STATES.slice(-3) },
    ends: ['COMPLETED', 'WITHDRAWN'],
    cancelledAfterMs: 1_000,
  },
} as const;
type Scenario = keyof typeof SCENARIOS;

const environment = useEnvironment({
  settings: { pollActiveMs: 1_000, pollDelayedMs: 2_000 },
  cachedWorkflowsMax: 12,
  rules: Object.entries(SCENARIOS).map(([description, { rule }]) => ({ match: { description }, ...rule })),
});

const TRANSFERS = Object.keys(SCENARIOS).length * OF_EACH;
/** The least that a storm has to do; on an idle machine it does many times as much, on a busy one it lasts longer. */
const LEAST = {
  runs: 2 * TRANSFERS,
  queries: TRANSFERS,
  hints: 2 * TRANSFERS,
  decisions: OF_EACH,
  cancels: 2 * OF_EACH,
  workerChanges: 3,
};
type Counts = typeof LEAST;
const missingOf = (counts: Partial<Counts>) =>
  (Object.keys(counts) as (keyof Counts)[]).filter((kind) => counts[kind]! < LEAST[kind]);

let folder: string;
let workflowBundlePath: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'giro-storm-'));
  const code = await readFile(testServers().workflowBundlePath, 'utf8');
  const oneLookup = code.replace('LOOKUPS_PER_RUN = 30;', 'LOOKUPS_PER_RUN = 1;');
  expect(oneLookup).not.toBe(code);
  workflowBundlePath = join(folder, 'one-look-up-a-run.js');
  await writeFile(workflowBundlePath, oneLookup);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Repeated {
  readonly name: string;
  readonly isOver: () => boolean;
  readonly everyMs: number;
}

/** Again and again, whatever comes of it, with a pause of about `everyMs`. */
async function repeat({ name, isOver, everyMs }: Repeated, act: (turn: number) => Promise<unknown>) {
  const random = numbersOf(SEED, name);
  for (let turn = 0; !isOver(); turn += 1) {
    await act(turn).catch(() => null);
    await sleep(everyMs * (0.5 + random()));
  }
}

/** Steps inside workflow tasks that last, so that queries end these tasks and messages come meanwhile. */
const slow = (parts: TransferActivityContext): TransferActivityContext => {
  const { journal } = parts;
  const random = numbersOf(SEED, 'steps');
  const slowly = async <T>(call: () => Promise<T>): Promise<T> => {
    await sleep(STEP_MAX_MS * random());
    return call();
  };
  return {
    ...parts,
    journal: {
      ...journal,
      claimRequest: (claim) => slowly(() => journal.claimRequest(claim)),
      recordFlags: (...flags) => slowly(() => journal.recordFlags(...flags)),
      recordDecision: (...decision) => slowly(() => journal.recordDecision(...decision)),
    },
  };
};

const TRIED: readonly [DecisionAction, string][] = [
  ['resume', 'ana'],
  ['accept-completed', 'ana'],
  ['resume', 'luis'],
  ['withdraw', 'luis'],
  ['accept-failed', 'luis'],
  ['resume', 'ana'],
  ['withdraw', 'ana'],
];

it('whatever reaches a run, and however often it continues as new, its replay decides the same', async () => {
  const { env } = environment();
  await environment().worker.stop();
  let worker = await env.startWorker({ workflowBundlePath, change: slow });
  const scenarios = Object.keys(SCENARIOS) as Scenario[];
  const transfers = scenarios.flatMap((scenario) =>
    Array.from({ length: OF_EACH }, () => ({ scenario, originId: nextOriginId() })),
  );

  const repeatable = { seed: SEED };
  process.stderr.write(`storm: STORM_SEED=${SEED} repeats it\n`);
  const storm = { isOver: false };
  const isOver = () => storm.isOver;
  const done = { queries: 0, decisions: 0, workerChanges: 0 };
  const around = transfers.map(async ({ scenario, originId }, i) => {
    await env.giro.startTransfer(orderOf(originId, scenario));
    const { cancelledAfterMs } = SCENARIOS[scenario];
    await Promise.all([
      repeat({ name: `queries ${i}`, isOver, everyMs: 150 }, () =>
        stateOf(env, originId).then(() => (done.queries += 1)),
      ),
      repeat({ name: `hints ${i}`, isOver, everyMs: 300 }, (turn) =>
        env.giro.hintTransfer(originId, { source: 'test', eventId: `${turn}` }),
      ),
      // Several at once: each waits for its answer.
      ...[0, 1, 2].map((operators) =>
        repeat({ name: `decisions ${i}/${operators}`, isOver, everyMs: 400 }, (turn) => {
          const [action, operator] = TRIED[(turn + i + 2 * operators) % TRIED.length]!;
          const decided = env.giro.decide(originId, { action, operator, reason: 'storm' });
          return decided.then(() => (done.decisions += 1));
        }),
      ),
      cancelledAfterMs === null
        ? null
        : sleep(cancelledAfterMs * numbersOf(SEED, `cancel ${i}`)()).then(() =>
            env.giro.cancelTransfer(originId),
          ),
    ]);
  });
  const startedAt = Date.now();
  const isEnough = (ms: number) => ms >= STORM_MAX_MS || (ms >= STORM_MS && missingOf(done).length === 0);
  for (; !isEnough(Date.now() - startedAt); done.workerChanges += 1) {
    await sleep(WORKER_LIVES_MS);
    await worker.stop();
    // Timers of a second fire meanwhile.
    await sleep(WORKER_LIVES_MS / 5);
    worker = await env.startWorker({ workflowBundlePath, change: slow });
  }
  storm.isOver = true;
  await Promise.all(around);

  for (const { scenario, originId } of transfers) {
    const ended = env.giro.waitForTransfer(originId, { timeoutMs: END_WITHIN_MS });
    const { status } = await ended.catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${await standing(originId)}`, { cause: error });
    });
    expect(SCENARIOS[scenario].ends).toContain(status);
  }
  await worker.stop();
  const histories = (await Promise.all(transfers.map(({ originId }) => historiesOf(originId)))).flat();
  const unanswered = histories.flatMap(unansweredUpdates);
  const failed = await replayed(histories);
  expect({ of: histories.length, failed, unanswered, ...repeatable }).toEqual({
    of: histories.length,
    failed: [],
    unanswered: [],
    ...repeatable,
  });

  const count = (isOne: (event: temporal.api.history.v1.IHistoryEvent) => boolean) =>
    histories.flatMap(eventsOf).filter(isOne).length;
  const hints = count((event) => event.workflowExecutionSignaledEventAttributes != null);
  const decisions = count((event) => event.workflowExecutionUpdateAcceptedEventAttributes != null);
  const cancels = count((event) => event.workflowExecutionCancelRequestedEventAttributes != null);
  const counts: Counts = { ...done, runs: histories.length, hints, decisions, cancels };
  process.stderr.write(`storm: ${JSON.stringify(counts)}\n`);
  expect({ counts, missing: missingOf(counts), ...repeatable }).toMatchObject({ missing: [] });
});

/** Of a transfer that does not end: what it says of itself, and where its histories are kept. */
async function standing(originId: number): Promise<string> {
  const state = await stateOf(environment().env, originId).catch(String);
  const kept = await Promise.all((await historiesOf(originId)).slice(0, 2).map(keep));
  return [JSON.stringify(state), ...kept, `STORM_SEED=${SEED}`].join('\n');
}

async function keep(replayable: Replayable): Promise<string> {
  const path = join(
    await mkdtemp(join(tmpdir(), 'giro-storm-failed-')),
    `${replayable.workflowId}-${runIdOf(replayable)}.json`,
  );
  await writeFile(path, historyToJSON({ events: eventsOf(replayable) }));
  return path;
}

/** Decisions that a run accepted and left without an answer. */
function unansweredUpdates({ workflowId, history }: Replayable): string[] {
  const events = eventsOf({ workflowId, history });
  const answered = new Set(
    events.map((event) => String(event.workflowExecutionUpdateCompletedEventAttributes?.acceptedEventId)),
  );
  return events
    .filter(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => accepted != null)
    .filter(({ eventId }) => !answered.has(String(eventId)))
    .map(({ eventId }) => `${workflowId}, event ${String(eventId)}`);
}

const eventsOf = ({ history }: Replayable) => (history as temporal.api.history.v1.IHistory).events ?? [];

type Replayable = ReplayHistoriesIterable extends AsyncIterable<infer T> | Iterable<infer T> ? T : never;

/** Of every run of a transfer, the newest first. */
async function historiesOf(originId: number): Promise<Replayable[]> {
  const { engine } = environment().env;
  const workflowId = `transfer-${originId}`;
  const found: Replayable[] = [];
  let runId: string | undefined;
  do {
    const history = await engine.workflow.getHandle(workflowId, runId).fetchHistory();
    found.push({ workflowId, history: handledEvents(history) });
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    runId = started?.continuedExecutionRunId ?? undefined;
  } while (runId !== undefined && runId !== '');
  return found;
}

/** The runs that did not replay, and where their histories are kept. */
async function replayed(histories: readonly Replayable[]): Promise<string[]> {
  const code = await readFile(workflowBundlePath, 'utf8');
  const failed: string[] = [];
  const results = Worker.runReplayHistories({ workflowBundle: { code } }, histories);
  for await (const { workflowId, runId, error } of results) {
    if (error === undefined) continue;
    const replayable = histories.find((it) => it.workflowId === workflowId && runIdOf(it) === runId);
    if (replayable === undefined) throw new Error(`${workflowId} has no run ${runId}`);
    failed.push(`${await keep(replayable)}: ${error.message}`);
  }
  return failed;
}

const runIdOf = (replayable: Replayable) =>
  eventsOf(replayable)[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId;
