import { setTimeout } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { inParallel } from '../../src/activities/in-parallel';
import type { TransferOrder } from '../../src/domain/order';
import type { Contestant } from './contestants';
import { newOrders, pollsOf } from './orders';
import type { Course } from './orders';
import { processorMs } from './processor-time';
import type { ServiceProcess } from '../../dev/service-process';
import type { Servers } from './servers';

/**
 * Transfers before each round, to compile code, open connections and fill caches. After 50 transfers the compiler was
 * still at work; a worker in production runs for days.
 */
const WARM_UP = 400;
/** Orders in flight when the worker is killed. */
const KILLED = 40;
const BEFORE_KILL_MS = 1_000;
const LOOK_EVERY_MS = 50;

export type Part = 'worker' | 'engine' | 'engine store' | 'postgres' | 'bank and callers';

export interface Round {
  readonly perSecond: number;
  /** Processor time, ms a transfer. */
  readonly cpuMs: Readonly<Partial<Record<Part, number>>>;
}

/** Reports a difference in the books. */
type Complain = (sentence: string) => void;

export interface Load {
  readonly transfers: number;
  readonly concurrency: number;
  readonly workers: number;
  readonly nodeOptions: readonly string[];
}

/** Measures short transfers on newly started workers. */
export async function measureRound(
  contestant: Contestant,
  servers: Servers,
  { transfers, concurrency, workers: count, nodeOptions }: Load,
  complain: Complain,
): Promise<Round> {
  const workers: ServiceProcess[] = [];
  try {
    for (let nth = 0; nth < count; nth += 1) workers.push(await contestant.startWorker(nodeOptions, nth));
    const through = (orders: readonly TransferOrder[]) =>
      inParallel(orders, concurrency, (order) => carryOut(contestant, order, complain));
    await through(newOrders(WARM_UP, 'short'));
    const parts = { worker: () => workers.map(({ pid }) => pid), ...contestant.servers };
    const spent = () => [
      ...Object.entries(parts).map(([part, pids]) => [part, sum(pids().map(processorMs))] as const),
      ['bank and callers', ownMs()] as const,
    ];
    const orders = newOrders(transfers, 'short');
    const before = new Map(spent());
    const startedMs = performance.now();
    await through(orders);
    const seconds = (performance.now() - startedMs) / 1_000;
    const cpuMs = spent().map(([part, ms]) => [part, (ms - (before.get(part) ?? 0)) / transfers] as const);
    checkBank(orders, servers, complain);
    const recorded = await contestant.recorded?.(orders);
    if (recorded !== undefined && recorded !== transfers)
      complain(`${contestant.name}: ${recorded} of ${transfers} results are recorded`);
    return { perSecond: transfers / seconds, cpuMs: Object.fromEntries(cpuMs) };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Of this process, which is the bank and the callers, without the servers and workers, its children. */
function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function carryOut(contestant: Contestant, order: TransferOrder, complain: Complain): Promise<void> {
  const status = await contestant.transfer(order);
  if (status !== 'COMPLETED') complain(`${contestant.name}: transfer ${order.originId} ended as ${status}`);
}

/** Checks that the bank got one create for each short order, and the look-ups until its final status. */
function checkBank(orders: readonly TransferOrder[], { bank }: Servers, complain: Complain): void {
  for (const { originId } of orders) {
    const services = bank.book.requests(String(originId)).map(({ service }) => service);
    const creates = services.filter((it) => it === 'transfer-request').length;
    const polls = services.filter((it) => it === 'get-movement').length;
    if (creates !== 1 || polls !== pollsOf('short'))
      complain(`transfer ${originId}: ${creates} creates and ${polls} look-ups at the bank`);
  }
}

/** Events and state transitions of a history. */
export interface History {
  readonly events: number;
  readonly transitions: number;
}

/** The histories of one transfer of each course, run by run, on an idle worker. */
export async function measureHistories(
  contestant: Contestant,
  { client }: Servers,
  courses: readonly Course[],
): Promise<Partial<Record<Course, readonly History[]>>> {
  const worker = await contestant.startWorker([]);
  try {
    const histories: Partial<Record<Course, readonly History[]>> = {};
    for (const course of courses) {
      const [order] = newOrders(1, course) as [TransferOrder];
      await contestant.transfer(order);
      histories[course] = await runsOf(
        (runId) => client.workflow.getHandle(`transfer-${order.originId}`, runId),
        await firstRun(client.workflow.getHandle(`transfer-${order.originId}`)),
      );
    }
    return histories;
  } finally {
    await worker.stop();
  }
}

async function firstRun(handle: WorkflowHandle): Promise<string> {
  const { events } = await handle.fetchHistory();
  return events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? '';
}

async function runsOf(handleOf: (runId: string) => WorkflowHandle, first: string): Promise<History[]> {
  const runs: History[] = [];
  for (let runId: string | null | undefined = first; runId;) {
    const handle = handleOf(runId);
    const { historyLength, raw } = await handle.describe();
    runs.push({
      events: historyLength,
      transitions: Number(raw.workflowExecutionInfo?.stateTransitionCount ?? 0),
    });
    const { events } = await handle.fetchHistory();
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return runs;
}

export interface Kill {
  /** Number of creates in flight at the kill. */
  readonly orders: number;
  /** Creates that the bank received beyond one for each order. */
  readonly createsTwice: number;
  /** Time from the kill until the last order has its next request, in s; a new worker starts right after the kill. */
  readonly backAfterS: number;
}

/** Kills the worker (`kill -9`) while the bank has all creates and has answered none. */
export async function measureKill(
  contestant: Contestant,
  { bank }: Servers,
  complain: Complain,
): Promise<Kill> {
  const first = await contestant.startWorker([]);
  const orders = newOrders(KILLED, 'slow');
  const ends = Promise.all(orders.map((order) => carryOut(contestant, order, complain)));
  ends.catch(() => undefined);
  const requestsOf = ({ originId }: TransferOrder) => bank.book.requests(String(originId));
  while (!orders.every((order) => requestsOf(order).length > 0)) await setTimeout(LOOK_EVERY_MS);
  await setTimeout(BEFORE_KILL_MS);
  // On a busy machine some orders may have progressed further.
  const struck = orders.filter((order) => requestsOf(order).every(({ status }) => status === null));
  const killedMs = Date.now();
  await first.kill();
  // The process is gone; this deletes its folder.
  void first.stop();
  const second = await contestant.startWorker([]);
  try {
    await ends;
  } finally {
    await second.stop();
  }
  const creates = orders.flatMap((order) =>
    requestsOf(order).filter(({ service }) => service === 'transfer-request'),
  );
  const nextMs = struck.map((order) => {
    const later = requestsOf(order).map(({ at }) => Date.parse(at));
    return Math.min(...later.filter((ms) => ms > killedMs));
  });
  return {
    orders: struck.length,
    createsTwice: creates.length - orders.length,
    backAfterS: (Math.max(...nextMs) - killedMs) / 1_000,
  };
}
