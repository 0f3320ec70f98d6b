import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOrders } from '../../src/commands/support/input/read-orders';
import { startOrders } from '../../src/commands/support/start-orders';
import { DEFAULT_ORDER_LIMITS } from '../../src/domain/order';
import { stateOf, until } from '../giro-environment';
import type { GiroEnvironment } from '../giro-environment';
import type { WorkerProcess } from '../worker-process';
import { BATCH, SCENARIOS, orderOf } from './scenarios';
import type { Scenario } from './scenarios';
import { VERIFICATIONS, startVerifications } from './verifications';

/** Starts every scenario and causes its faults; resolves when it only remains to wait for the ends. */
export async function play(
  env: GiroEnvironment,
  startWorker: () => Promise<WorkerProcess>,
  say: (line: string) => void,
): Promise<void> {
  const { withdrawn, twice, hinted, decided, killed, ...plain } = SCENARIOS;

  await start(env, withdrawn);
  await env.giro.cancelTransfer(withdrawn.originId);
  say(`order ${withdrawn.originId} is queued and cancelled before a worker runs`);
  const worker = await startWorker();
  say(`giro worker runs, process ${worker.pid}`);

  const again = [await start(env, twice), await start(env, twice)];
  if (!again[0]?.started || again[1]?.started || again[0].runId !== again[1]?.runId) {
    throw new Error('the same order started twice has become two runs');
  }
  say(`order ${twice.originId} is started twice: one run`);
  await Promise.all(
    [hinted, decided, killed, ...Object.values(plain)].map((scenario) => start(env, scenario)),
  );
  await startBatch(env);
  say(`${BATCH.length} orders are started from a file`);
  await startVerifications(env);
  say(`${VERIFICATIONS.length} identity verifications are tracked`);

  const { nextPollAt } = await until(
    () => stateOf(env, hinted.originId),
    ({ phase }) => phase === 'held',
  );
  await env.giro.hintTransfer(hinted.originId, { source: 'demo', eventId: 'demo-1' });
  const { nextPollAt: sooner } = await until(
    () => stateOf(env, hinted.originId),
    (state) => state.nextPollAt !== nextPollAt,
  );
  say(`order ${hinted.originId} is held; a hint moves its next look-up from ${nextPollAt} to ${sooner}`);

  await until(
    () => stateOf(env, decided.originId),
    ({ mayDecide }) => mayDecide.some(({ action }) => action === 'accept-failed'),
  );
  const decision = { action: 'accept-failed', reason: 'letter of the bank' } as const;
  const first = await env.giro.decide(decided.originId, { ...decision, operator: 'ana' });
  const second = await env.giro.decide(decided.originId, { ...decision, operator: 'luis' });
  say(`order ${decided.originId} is held: ana decides (${first.state}), then luis (${second.state})`);

  await until(
    () => env.journal.transfer(killed.originId),
    (record) => record?.bankStatus === 'IN_PROGRESS',
  );
  await worker.kill();
  say(`worker ${worker.pid} is killed (SIGKILL) while order ${killed.originId} and others are in flight`);
  const next = await startWorker();
  say(`another giro worker runs, process ${next.pid}`);
}

function start(env: GiroEnvironment, scenario: Scenario) {
  return (scenario.skipsTime ? env.skipping : env.giro).startTransfer(orderOf(scenario));
}

/** Reads the orders from a file, as `giro transfer start FILE` does. */
async function startBatch(env: GiroEnvironment): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'giro-demo-'));
  try {
    const file = join(folder, 'orders.ndjson');
    await writeFile(file, BATCH.map((scenario) => JSON.stringify(orderOf(scenario))).join('\n'));
    const { good, bad } = readOrders(await readFile(file, 'utf8'), DEFAULT_ORDER_LIMITS);
    if (bad.length > 0) throw new Error(bad.join('\n'));
    const outcomes = await startOrders(env.giro, good, () => undefined);
    const failed = outcomes.filter(({ kind }) => kind !== 'started');
    if (failed.length > 0) throw new Error(`${failed.length} orders of the file were not started`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until each transfer has ended, or is held as its scenario says, at most until the deadline. */
export async function allAsExpected(
  env: GiroEnvironment,
  scenarios: readonly Scenario[],
  deadlineMs: number,
): Promise<void> {
  const asExpected = async ({ originId, expected }: Scenario): Promise<void> => {
    const wait = { timeoutMs: Math.max(deadlineMs - Date.now(), 1_000) };
    // The comparison of the books reports transfers that have not ended in time.
    if (expected === 'held') {
      await until(
        () => stateOf(env, originId),
        ({ phase }) => phase === 'held',
        wait.timeoutMs,
      ).catch(() => undefined);
    } else {
      await env.giro.waitForTransfer(originId, wait).catch(() => undefined);
    }
  };
  await Promise.all(scenarios.map(asExpected));
}
