import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../dev/giro-environment';
import { madeUpOrder } from '../dev/made-up-order';
import { collectBooks } from '../dev/simulate/collect';
import { inflict } from '../dev/simulate/inflict';
import { openLines } from '../dev/simulate/lines';
import { openSystem, startServers } from '../dev/simulate/system';
import type { SimulatedSystem } from '../dev/simulate/system';
import { systemFaultsOf } from '../dev/simulate/system-faults';
import type { SystemFaultName } from '../dev/simulate/system-faults';
import { signalAll } from '../dev/process-tree';
import { startWorkerProcess } from '../dev/worker-process';
import type { WorkerProcess } from '../dev/worker-process';
import type { SandboxRule } from '../src/sandbox-bank';
import { audit } from '../test/chaos/auditor/audit';
import type { Bench } from './bench';
import { inSeconds, quantile } from './samples';

/**
 * Measures, after each kind of fault, how long until the bank is asked again about every transfer. Open transfers are
 * looked up all the time, and creates are in flight when a fault begins. Finally audits the books.
 */
const OPEN = 20;
const CREATES = 4;
const WORKERS = 2;
const GAP_MS = 2_000;
const SLOW_CREATE_MS = 3_000;
const BACK_WITHIN_MS = 180_000;

const RULE: SandboxRule = {
  states: ['IN_PROGRESS'],
  create: [{ fault: 'slow', delayMs: SLOW_CREATE_MS }],
};

/** The other worker takes over the transfers, so their time counts from the beginning of the fault. */
const WORKER_FAULTS = ['worker killed', 'worker stands still'] as const;
type FaultName = (typeof WORKER_FAULTS)[number] | SystemFaultName;

export const faults: Bench = async (scope, { outageMs, say }) => {
  const servers = await startServers(scope, say);
  const system = await openSystem(scope, servers, { isEncrypted: false, isSigned: false });
  const { env, access, databaseUrl, taskQueue } = system;
  env.bank.setRules([RULE]);
  const lines = await openLines(scope, system);
  const startWorker = async (): Promise<WorkerProcess> =>
    scope.own(
      await startWorkerProcess({
        ...{ access, taskQueue, temporalAddress: lines.addressOf('engine') },
        databaseUrl: lines.throughLine(databaseUrl),
        env: {
          ...{ BANK_BASE_URL: `https://${lines.addressOf('bank')}`, BANK_MAX_RPS: '0', LOG_LEVEL: 'error' },
          ...{ POLL_ACTIVE: `${GAP_MS}ms`, BANK_TIMEOUT_CREATE: '8s', BANK_TIMEOUT: '4s' },
          // The auditor does not ask a flagged transfer to make progress, so none is flagged for its age.
          ATTENTION_AFTER_ACTIVE: '24h',
        },
      }),
      async (it) => {
        await it.stop();
      },
    );
  const workers = await Promise.all(Array.from({ length: WORKERS }, startWorker));
  const standstills: { from: string; to: string }[] = [];
  const standing: Promise<void>[] = [];

  const given: { order: ReturnType<typeof madeUpOrder>; rule: SandboxRule }[] = [];
  const start = async (count: number): Promise<void> => {
    const orders = Array.from({ length: count }, (_, i) => madeUpOrder(given.length + i + 1, 'bench'));
    given.push(...orders.map((order) => ({ order, rule: RULE })));
    await Promise.all(orders.map((order) => env.giro.startTransfer(order)));
  };
  await start(OPEN);

  /** Causes the fault. Returns the time from which the recovery counts, ms since 1970. */
  const strike = async (name: FaultName): Promise<number> => {
    const fromMs = Date.now();
    const [worker] = workers;
    if (worker === undefined) throw new Error('no worker runs');
    if (name === 'worker killed') {
      await worker.kill();
      // The other worker has most of the runs now: it is the next to be struck.
      workers.splice(0, 1);
      workers.push(await startWorker());
      return fromMs;
    }
    if (name === 'worker stands still') {
      signalAll([worker.pid], 'SIGSTOP');
      const continued = sleep(outageMs).then(() => {
        signalAll([worker.pid], 'SIGCONT');
        standstills.push({ from: new Date(fromMs).toISOString(), to: new Date().toISOString() });
      });
      standing.push(continued);
      return fromMs;
    }
    await inflict(servers, lines, { name, forMs: outageMs });
    return Date.now();
  };

  const rows: string[][] = [];
  const late: string[] = [];
  for (const name of [...WORKER_FAULTS, ...systemFaultsOf('file')]) {
    await start(CREATES);
    await sleep(SLOW_CREATE_MS / 2);
    const sinceMs = await strike(name);
    const backMs = await askedSince(system, given, sinceMs).catch(() => null);
    await Promise.all(standing);
    if (backMs === null) {
      late.push(`${name}: not every transfer was asked for within ${inSeconds(BACK_WITHIN_MS)}`);
      continue;
    }
    const delays = backMs.map((it) => it - sinceMs);
    rows.push([
      ...[name, String(delays.length)],
      ...[inSeconds(quantile(delays, 0.5)), inSeconds(quantile(delays, 1))],
    ]);
    say(`${name}: the last of ${delays.length} after ${inSeconds(quantile(delays, 1))}`);
  }

  const books = await collectBooks(system, given, {
    ...{ cancels: [], verifications: [], reconciliation: null },
    terms: {
      ...{ clock: 'bank', pollActiveMs: GAP_MS, pollDelayedMs: GAP_MS, standstills, losses: [] },
      ...{ takenAt: new Date().toISOString(), progressWithinMs: BACK_WITHIN_MS },
      ...{ standstillMaxMs: outageMs + BACK_WITHIN_MS, eventsPerRunMax: 2_000, isSigned: false },
    },
  });
  return {
    title: `faults: ${inSeconds(outageMs)} each; time until the bank is asked again about each open transfer, including the gap of ${inSeconds(GAP_MS)}. Counted from the end of a server's fault, and from the start of a worker's`,
    head: ['fault', 'open transfers', 'median', 'last'],
    rows,
    failures: [
      ...late,
      ...audit(books).map(
        ({ rule, originId, sentence }) => `${rule}, ${originId ?? 'no transfer'}: ${sentence}`,
      ),
    ],
  };
};

/** For each transfer, when its first request after `sinceMs` arrived; ms since 1970. */
const askedSince = (
  { env }: SimulatedSystem,
  given: readonly { readonly order: { readonly originId: number } }[],
  sinceMs: number,
): Promise<readonly number[]> => {
  const first = ({ order: { originId } }: (typeof given)[number]) =>
    env.bank.book.requests(String(originId)).find(({ at }) => Date.parse(at) > sinceMs);
  return until(
    () => Promise.resolve(given.map(first)),
    (them) => them.every((it) => it !== undefined),
    BACK_WITHIN_MS,
  ).then((them) => them.map((it) => Date.parse(it?.at ?? '')));
};
