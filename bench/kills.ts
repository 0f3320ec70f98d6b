import { setTimeout } from 'node:timers/promises';
import { until } from '../dev/giro-environment';
import type { GiroEnvironment } from '../dev/giro-environment';
import { madeUpOrder } from '../dev/made-up-order';
import { collectBooks } from '../dev/simulate/collect';
import { startWholeSystem } from '../dev/whole-system';
import type { SandboxRule } from '../src/sandbox-bank';
import { audit } from '../test/chaos/auditor/audit';
import type { Bench } from './bench';
import { inSeconds, quantile } from './samples';

/**
 * Kills one of two workers (`kill -9`) during creates and look-ups, again and again. Measures how late the next request
 * is about each movement that the killed worker was asking about, beyond the due gap. Finally audits the books.
 */
const EACH = 8;
const GAP_MS = 1_000;
/** So slow that many requests are in flight when the worker is killed. */
const SLOW_MS = 3_000;
/** p99 beyond the gap. Temporal's time-outs set these bounds: that of a workflow task is 10 s. */
const LATE_MAX_MS = { create: 10_000, 'look-up': 15_000 } as const;
type Kind = keyof typeof LATE_MAX_MS;

const RULE: SandboxRule = {
  states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'],
  create: [{ fault: 'slow', delayMs: SLOW_MS }],
  query: [{ fault: 'slow', delayMs: SLOW_MS, times: 'always' }],
};
const FOLLOWED_WITHIN_MS = 120_000;
/** Time in which the bank notices that the connections are gone. */
const NOTICED_MS = 1_500;

export const kills: Bench = async (scope, { kills: count, say }) => {
  const system = await startWholeSystem(scope, {
    ui: false,
    rules: [RULE],
    workerEnv: { POLL_ACTIVE: `${GAP_MS}ms`, BANK_MAX_RPS: '0', LOG_LEVEL: 'error' },
    say,
  });
  const { env, startWorker } = system;
  const workers = [await startWorker(), await startWorker()];
  const given: { order: ReturnType<typeof madeUpOrder>; rule: SandboxRule }[] = [];
  const start = async (): Promise<void> => {
    const orders = Array.from({ length: EACH }, (_, i) => madeUpOrder(given.length + i + 1, 'bench'));
    given.push(...orders.map((order) => ({ order, rule: RULE })));
    await Promise.all(orders.map((order) => env.giro.startTransfer(order)));
  };
  const late: Record<Kind, number[]> = { create: [], 'look-up': [] };
  const struck: Record<Kind, number> = { create: 0, 'look-up': 0 };
  for (let kill = 0; kill < count; kill += 1) {
    await start();
    // The first transfers are looked up while the creates of the others are in flight.
    await setTimeout(SLOW_MS + GAP_MS / 2);
    await start();
    await setTimeout(SLOW_MS / 2);
    const at = kill % workers.length;
    const killedMs = Date.now();
    await workers[at]?.kill();
    const again = startWorker();
    await setTimeout(NOTICED_MS);
    const affected = brokenOff(env, given.slice(-4 * EACH), killedMs);
    const found = await followers(env, affected);
    workers[at] = await again;
    for (const kind of ['create', 'look-up'] as const) {
      const own = found.filter((it) => it.kind === kind).map((it) => it.nextMs - killedMs - GAP_MS);
      struck[kind] += own.length;
      if (own.length > 0) late[kind].push(Math.max(...own));
    }
    say(
      `kill ${kill + 1} of ${count}: the last create ${told(late.create)}, the last look-up ${told(late['look-up'])}`,
    );
  }
  say('the last transfers');
  await Promise.all(
    given.map(({ order }) => env.giro.waitForTransfer(order.originId, { timeoutMs: 300_000 })),
  );
  const books = await collectBooks({ ...system, keys: null }, given, {
    ...{ cancels: [], verifications: [], reconciliation: null },
    terms: {
      ...{ clock: 'bank', pollActiveMs: GAP_MS, pollDelayedMs: GAP_MS, standstills: [], losses: [] },
      ...{ takenAt: new Date().toISOString(), progressWithinMs: FOLLOWED_WITHIN_MS },
      ...{ standstillMaxMs: FOLLOWED_WITHIN_MS, eventsPerRunMax: 2_000 },
      isSigned: false,
    },
  });
  const creates = books.bank.requests.filter(({ service }) => service === 'transfer-request').length;
  const rows = (['create', 'look-up'] as const).map((kind) => ({
    ...{ kind, struck: struck[kind], kills: late[kind].length },
    ...{ p50: quantile(late[kind], 0.5), p99: quantile(late[kind], 0.99) },
  }));
  return {
    title: `kills: ${count} kills of one of two workers, ${given.length} transfers, ${creates} creates, ${books.bank.movements.length} movements; how late the last affected is, beyond the gap of ${GAP_MS / 1_000} s`,
    head: ['', 'in flight', 'kills that met some', 'p50', 'p99', 'at most'],
    rows: rows.map(({ kind, p50, p99, ...it }) => [
      ...[kind, String(it.struck), String(it.kills)],
      ...[inSeconds(p50), inSeconds(p99), inSeconds(LATE_MAX_MS[kind])],
    ]),
    failures: [
      ...rows
        .filter(({ kind, p99 }) => !(p99 <= LATE_MAX_MS[kind]))
        .map(({ kind, p99 }) => `p99 of ${kind}s: ${inSeconds(p99)}`),
      ...(creates === given.length ? [] : [`${creates} creates for ${given.length} transfers`]),
      ...audit(books).map(
        ({ rule, originId, sentence }) => `${rule}, ${originId ?? 'no transfer'}: ${sentence}`,
      ),
    ],
  };
};

interface Affected {
  readonly originId: number;
  readonly kind: Kind;
  readonly seq: number;
}

/** Requests whose connection ended without an answer when the worker was killed. */
function brokenOff(
  { bank }: GiroEnvironment,
  given: readonly { readonly order: { readonly originId: number } }[],
  killedMs: number,
): Affected[] {
  return given.flatMap(({ order: { originId } }) =>
    bank.book
      .requests(String(originId))
      .filter(
        ({ at, status, finishedAt }) =>
          status === null &&
          finishedAt !== null &&
          Date.parse(at) <= killedMs &&
          Date.parse(finishedAt) >= killedMs,
      )
      .map(({ service, seq }) => ({
        ...{ originId, seq, kind: service === 'transfer-request' ? 'create' : 'look-up' },
      })),
  );
}

/** The affected requests, with the arrival of the next request about the same movement. */
const followers = ({ bank }: GiroEnvironment, affected: readonly Affected[]) =>
  Promise.all(
    affected.map(async ({ originId, kind, seq }) => {
      const next = await until(
        () => Promise.resolve(bank.book.requests(String(originId)).find((it) => it.seq > seq)),
        (it) => it !== undefined,
        FOLLOWED_WITHIN_MS,
      );
      return { kind, nextMs: Date.parse(next?.at ?? '') };
    }),
  );

const told = (values: readonly number[]): string => {
  const last = values.at(-1);
  return last === undefined ? 'none' : inSeconds(last);
};
