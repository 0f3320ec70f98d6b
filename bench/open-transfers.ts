import { setTimeout } from 'node:timers/promises';
import { until } from '../dev/giro-environment';
import type { GiroEnvironment } from '../dev/giro-environment';
import { madeUpOrder } from '../dev/made-up-order';
import { startWholeSystem } from '../dev/whole-system';
import type { Scope } from '../dev/scope';
import { inParallel } from '../src/activities/in-parallel';

export interface OpenTransfers {
  readonly env: GiroEnvironment;
  readonly originIds: readonly number[];
  /** The bank's requests about one of the transfers. */
  readonly requestsOf: (originId: number) => ReturnType<GiroEnvironment['bank']['book']['requests']>;
}

/**
 * Starts a system with transfers that stay IN_PROGRESS. The starts are evenly spread over `overMs`, and so are the
 * look-ups. Resolves when each transfer has been looked up once.
 */
export async function openTransfers(
  scope: Scope,
  options: {
    readonly transfers: number;
    readonly cadenceMs: number;
    readonly overMs: number;
    readonly startsAtOnce: number;
    readonly say: (line: string) => void;
  },
): Promise<OpenTransfers> {
  const { transfers, cadenceMs, overMs, startsAtOnce, say } = options;
  const { env, startWorker } = await startWholeSystem(scope, {
    ui: false,
    rules: [{ states: ['CREATED', 'IN_PROGRESS'] }],
    workerEnv: { POLL_ACTIVE: `${cadenceMs}ms`, BANK_MAX_RPS: '0', LOG_LEVEL: 'error' },
    say,
  });
  await startWorker();
  const requestsOf = (originId: number) => env.bank.book.requests(String(originId));
  const originIds = Array.from({ length: transfers }, (_, i) => i + 1);
  const startMs = Date.now();
  await inParallel(originIds, startsAtOnce, async (originId) => {
    await setTimeout(Math.max(0, startMs + (originId * overMs) / transfers - Date.now()));
    await env.giro.startTransfer(madeUpOrder(originId, 'bench'));
  });
  await until(
    () => Promise.resolve(originIds.filter((originId) => requestsOf(originId).length < 2).length),
    (left) => left === 0,
    300_000,
  );
  return { env, originIds, requestsOf };
}
