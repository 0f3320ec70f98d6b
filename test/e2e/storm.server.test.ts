import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import type { ReplayHistoriesIterable } from '@temporalio/worker';
import { stateOf } from '../../dev/giro-environment';
import type { TransferActivityContext } from '../../src/activities/context';
import type { DecisionAction } from '../../src/client';
import { quietRuntime } from '../support/quiet-runtime';
import { testServers } from '../support/servers';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/**
 * Queries, hints, decisions and cancels without a pause, workers that come and go, runs that continue as new after each
 * look-up: whatever a run decided in that, it decides in a replay.
 */
quietRuntime({ core: 'ERROR' });

/** More of them, by hand, find what is rare. */
const OF_EACH = Number(process.env['STORM_OF_EACH'] ?? 4);
const STORM_MS = 15_000;
/** Longer than between two queries. */
const STEP_MAX_MS = 150;
const WORKER_LIVES_MS = 2_500;
const END_WITHIN_MS = 60_000;

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
    rule: { states: STATES, echo: [{ ...WRONG, until: 6 }] },
    ends: ['COMPLETED'],
    cancelledAfterMs: null,
  },
  'unknown word': {
    rule: { states: [...Array<string>(6).fill('RETURNED'), 'COMPLETED'] },
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

/** Again and again, whatever comes of it, with a pause of about `everyMs`. */
async function repeat(isOver: () => boolean, everyMs: number, act: (turn: number) => Promise<unknown>) {
  for (let turn = 0; !isOver(); turn += 1) {
    await act(turn).catch(() => null);
    await sleep(everyMs * (0.5 + Math.random()));
  }
}

/** Steps inside workflow tasks that last, so that queries end these tasks and messages come meanwhile. */
const slow = (parts: TransferActivityContext): TransferActivityContext => {
  const { journal } = parts;
  const slowly = async <T>(call: () => Promise<T>): Promise<T> => {
    await sleep(STEP_MAX_MS * Math.random());
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
  ['withdraw', 'luis'],
  ['accept-failed', 'luis'],
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

  const storm = { isOver: false };
  const isOver = () => storm.isOver;
  const around = transfers.map(async ({ scenario, originId }, i) => {
    await env.giro.startTransfer(orderOf(originId, scenario));
    const { cancelledAfterMs } = SCENARIOS[scenario];
    await Promise.all([
      repeat(isOver, 150, () => stateOf(env, originId)),
      repeat(isOver, 300, (turn) => env.giro.hintTransfer(originId, { source: 'test', eventId: `${turn}` })),
      repeat(isOver, 200, (turn) => {
        const [action, operator] = TRIED[(turn + i) % TRIED.length]!;
        return env.giro.decide(originId, { action, operator, reason: 'storm' });
      }),
      cancelledAfterMs === null
        ? null
        : sleep(cancelledAfterMs * Math.random()).then(() => env.giro.cancelTransfer(originId)),
    ]);
  });
  const until = Date.now() + STORM_MS;
  while (Date.now() < until) {
    await sleep(WORKER_LIVES_MS);
    await worker.stop();
    // Timers of a second fire meanwhile.
    await sleep(WORKER_LIVES_MS / 5);
    worker = await env.startWorker({ workflowBundlePath, change: slow });
  }
  storm.isOver = true;
  await Promise.all(around);

  for (const { scenario, originId } of transfers) {
    const { status } = await env.giro.waitForTransfer(originId, { timeoutMs: END_WITHIN_MS });
    expect(SCENARIOS[scenario].ends).toContain(status);
  }
  await worker.stop();
  const histories = (await Promise.all(transfers.map(({ originId }) => historiesOf(originId)))).flat();
  // More runs than transfers: they did continue as new.
  expect(histories.length).toBeGreaterThan(2 * transfers.length);
  const unanswered = histories.flatMap(unansweredUpdates);
  const failed = await replayed(histories);
  expect({ of: histories.length, failed, unanswered }).toEqual({
    of: histories.length,
    failed: [],
    unanswered: [],
  });
}, 150_000);

/** Decisions that a run accepted and left without an answer. */
function unansweredUpdates({ workflowId, history }: Replayable): string[] {
  const { events } = history as temporal.api.history.v1.IHistory;
  const answered = new Set(
    events?.map((event) => String(event.workflowExecutionUpdateCompletedEventAttributes?.acceptedEventId)),
  );
  return (events ?? [])
    .filter(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => accepted != null)
    .filter(({ eventId }) => !answered.has(String(eventId)))
    .map(({ eventId }) => `${workflowId}, event ${String(eventId)}`);
}

type Replayable = ReplayHistoriesIterable extends AsyncIterable<infer T> | Iterable<infer T> ? T : never;

/** Of every run of a transfer, the newest first. */
async function historiesOf(originId: number): Promise<Replayable[]> {
  const { engine } = environment().env;
  const workflowId = `transfer-${originId}`;
  const found: Replayable[] = [];
  let runId: string | undefined;
  do {
    const history = await engine.workflow.getHandle(workflowId, runId).fetchHistory();
    found.push({ workflowId, history });
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    runId = started?.continuedExecutionRunId ?? undefined;
  } while (runId !== undefined && runId !== '');
  return found;
}

/** What came of those that took another way. */
async function replayed(histories: readonly Replayable[]): Promise<string[]> {
  const code = await readFile(workflowBundlePath, 'utf8');
  const failed: string[] = [];
  const results = Worker.runReplayHistories({ workflowBundle: { code } }, histories);
  for await (const { workflowId, runId, error } of results) {
    if (error !== undefined) failed.push(`${workflowId}/${runId}: ${error.message}`);
  }
  return failed;
}
