import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Sql } from 'pg';
import type { DecisionAction } from '../../src/client';
import { startReconciliation } from '../../src/engine/reconciliation-runs';
import { freeNotification, MONEY_MOVEMENT } from '../../src/sandbox-bank/notifications/notification';
import { audit } from '../../test/chaos/auditor/audit';
import { BOUNDS } from '../../test/chaos/auditor/books';
import type { Books, Span, Violation } from '../../test/chaos/auditor/books';
import { longestStandstill } from '../../test/chaos/auditor/standstill';
import { keyRingText } from '../../src/codec/key-ring';
import { freePort } from '../free-port';
import { packageRoot } from '../package-root';
import { signalAll } from '../process-tree';
import { Scope } from '../scope';
import { startServiceProcess } from '../service-process';
import { startWorkerProcess } from '../worker-process';
import type { WorkerProcessOptions } from '../worker-process';
import { collectBooks } from './collect';
import { FAULT_POINTS } from './faults';
import type { FaultPoint } from './faults';
import { inflict } from './inflict';
import { openLines } from './lines';
import type { Lines } from './lines';
import type { Plan, PlannedTransfer, PlannedVerification } from './plan';
import { openFaultInjector, supervise } from './processes';
import type { FaultInjector, Supervised } from './processes';
import { OPERATORS } from './system';
import type { SimulatedSystem } from './system';
import type { SystemFaultName } from './system-faults';

export interface SimulationOptions {
  /** Longest duration of the play; afterwards the books are taken as they are. */
  readonly maxMs: number;
  readonly say: (line: string) => void;
}

export interface SimulationOutcome {
  readonly violations: readonly Violation[];
  readonly books: Books;
  /** What happened, counted for the report. */
  readonly done: {
    readonly transfers: number;
    readonly ended: Readonly<Record<string, number>>;
    readonly kills: number;
    readonly stops: number;
    readonly receiverKills: number;
    readonly receiverStops: number;
    readonly systemFaults: Readonly<Partial<Record<SystemFaultName, number>>>;
    /** Number of kills and stops of workers at each fault point. */
    readonly points: Readonly<Record<FaultPoint, number>>;
    readonly resets: number;
    readonly keyLosses: number;
    readonly hints: number;
    readonly decisions: number;
    readonly queries: number;
    readonly bankRequests: number;
    /** Workers that ended by themselves with a failure, as a worker with a stuck run does. */
    readonly endedByThemselves: number;
    /** `longestStandstill`. */
    readonly standstillMs: number;
    readonly ms: number;
  };
}

/** A transfer counts as waiting for people once its flag is this old: a younger flag may still clear by itself. */
const FLAGGED_MS = 10_000;
const DECISION_TRIES_MAX = 3;
const RESET_TRIES_MAX = 20;
const LOOK_EVERY_MS = 500;
const LOG_EVERY_MS = 10_000;
const QUERY_TIMEOUT_MS = 5_000;
/** Workers' clocks are off by up to ten minutes: with this lifetime, each of them still accepts the signature. */
const SIGNATURE_LIFE_MS = 1_800_000;

const CADENCES = {
  bank: { pollActiveMs: 1_000, pollDelayedMs: 3_000 },
  workflow: { pollActiveMs: 5_000, pollDelayedMs: 630_000 },
} as const;

/** Plays a plan with real processes and servers, then lets the auditor check the books. */
export async function simulate(
  plan: Plan,
  system: SimulatedSystem,
  options: SimulationOptions,
): Promise<SimulationOutcome> {
  const scope = new Scope();
  try {
    return await play(plan, system, options, scope);
  } finally {
    await scope.release();
  }
}

interface Stage extends SimulatedSystem {
  readonly plan: Plan;
  readonly startedMs: number;
  readonly counts: Counts;
  /** Whether workers start without the key that has sealed everything so far. */
  readonly key: { isLost: boolean };
  /** originIds of flagged and of ended transfers, as last read from the journal. */
  standing: { readonly flagged: ReadonlySet<number>; readonly ended: ReadonlySet<number> };
  /** originIds about which the operators decide no more. */
  readonly decided: Set<number>;
  readonly cancels: { readonly originId: string; readonly at: string }[];
  /** `Terms.losses`, without the kills of workers at their points. */
  readonly losses: Span[];
  isOver: boolean;
}

type Counts = Record<
  'hints' | 'decisions' | 'queries' | 'resets' | 'receiverKills' | 'receiverStops' | 'keyLosses',
  number
> & {
  readonly systemFaults: Partial<Record<SystemFaultName, number>>;
};

async function play(
  plan: Plan,
  system: SimulatedSystem,
  { maxMs, say }: SimulationOptions,
  scope: Scope,
): Promise<SimulationOutcome> {
  const { env } = system;
  env.bank.setRules([...plan.transfers, ...plan.verifications].map(({ rule }) => rule));
  const injector = openFaultInjector(scope, plan.faults);
  const lines = await openLines(scope, system);
  const key = { isLost: false };
  const receiver = await startReceiver(system, lines, scope, say);
  const workers = plan.clocksAheadMs.map((clockAheadMs) =>
    supervise(
      scope,
      () =>
        startWorkerProcess(
          workerOptions(plan, system, { lines, injector, clockAheadMs, isKeyLost: key.isLost }),
        ),
      say,
    ),
  );
  const stage: Stage = {
    ...{ ...system, plan, key, startedMs: Date.now(), isOver: false, decided: new Set<number>() },
    cancels: [],
    losses: [],
    standing: { flagged: new Set(), ended: new Set() },
    counts: {
      ...{ hints: 0, decisions: 0, queries: 0, resets: 0, receiverKills: 0, receiverStops: 0, keyLosses: 0 },
      systemFaults: {},
    },
  };
  const acting = Promise.all([
    ...plan.transfers.flatMap((it) => [callerOf(stage, it), onlookerOf(stage, it), operatorsOf(stage, it)]),
    ...[emergencyBrake(stage), faultsOfReceiver(stage, receiver), lossesOfKey(stage, workers)],
    faultsOfSystem(stage, lines, scope),
    ...plan.verifications.map((it) => verificationOf(stage, it)),
  ]);
  const reconciling = reconciliationOf(stage);
  // Both are awaited at the end, and fail there; until then a rejection must not end the process.
  acting.catch(() => undefined);
  reconciling.catch(() => undefined);
  let loggedMs = 0;
  let isCutOff = true;
  while (Date.now() - stage.startedMs < maxMs) {
    const open = await lookIntoJournal(stage);
    if (open?.length === 0) {
      isCutOff = false;
      break;
    }
    if (open !== null && Date.now() - loggedMs >= LOG_EVERY_MS) {
      loggedMs = Date.now();
      const all = plan.transfers.length + plan.verifications.length;
      say(
        `${all - open.length} of ${all} ended, ${injector.fired().length} faults${told(stage.counts.systemFaults)}`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
  stage.isOver = true;
  await acting;
  const reconciliation = await reconciling;
  const takenAt = new Date().toISOString();
  await Promise.all([...workers, receiver].map((it) => it.stop()));

  const books = await collectBooks(system, plan.transfers, {
    ...{ cancels: stage.cancels, verifications: await verificationsOf(stage), reconciliation },
    terms: {
      ...CADENCES[plan.clock],
      ...{
        clock: plan.clock,
        standstills: injector.standstills,
        losses: [...injector.kills, ...stage.losses],
        takenAt,
      },
      ...BOUNDS,
      isSigned: plan.isSigned,
    },
  });
  const violations = [
    ...audit(books),
    ...(isCutOff ? [cutOff(maxMs)] : []),
    ...tooFewStrikes(plan.faults.length, injector.fired().length),
  ];
  return { violations, books, done: doneOf({ stage, workers, injector }, books) };
}

const told = (faults: Counts['systemFaults']): string =>
  Object.keys(faults)
    .map((name) => `, ${name}`)
    .join('');

function workerOptions(
  plan: Plan,
  { access, databaseUrl, taskQueue, keys, signing }: SimulatedSystem,
  given: {
    readonly lines: Lines;
    readonly injector: FaultInjector;
    readonly clockAheadMs: number;
    readonly isKeyLost: boolean;
  },
): WorkerProcessOptions {
  const { lines, injector, clockAheadMs, isKeyLost } = given;
  const ring = keys === null ? null : keyRingText(isKeyLost ? keys.lost : keys.whole);
  return {
    ...{ taskQueue, temporalAddress: lines.addressOf('engine'), databaseUrl: lines.throughLine(databaseUrl) },
    access: {
      ...access,
      files: { ...access.files, ...(ring === null ? {} : { [KEYS_FILE]: ring }), ...signing?.files },
    },
    preloaded: [...(clockAheadMs === 0 ? [] : [SHIFTED_CLOCK]), ...injector.preloaded],
    env: {
      ...injector.env,
      ...(clockAheadMs === 0 ? {} : { CLOCK_AHEAD_MS: String(clockAheadMs) }),
      ...(ring === null ? {} : { CODEC_KEYS_FILE: KEYS_FILE }),
      BANK_BASE_URL: `https://${lines.addressOf('bank')}`,
      POLL_ACTIVE: `${CADENCES[plan.clock].pollActiveMs}ms`,
      POLL_DELAYED: `${CADENCES[plan.clock].pollDelayedMs}ms`,
      ...{ BANK_TIMEOUT_CREATE: '3s', BANK_TIMEOUT: '3s', BANK_MAX_RPS: '0' },
      ...{ POLL_KYC: '1s', POLL_KYC_MAX: '4s', RECONCILE_MAX_RPS: '50' },
      KYC_STATUS_MAP: Object.entries(MEANINGS)
        .map((it) => it.join('='))
        .join(','),
      ...(signing === null ? { DECIDERS: OPERATORS.join(',') } : signing.settings),
      LOG_LEVEL: 'error',
    },
  };
}

const MEANINGS: Readonly<Record<string, string>> = {
  ...{ Pendiente: 'pending', Aprobado: 'approved', Rechazado: 'rejected' },
};

const KEYS_FILE = 'keys.json';
/** Loaded from the source folder: this file is not compiled. */
const SHIFTED_CLOCK = join(packageRoot, 'test', 'support', 'shifted-clock.cjs');
const PATH_SECRET = 'simulated-path-secret-0123456789abcdef';

async function startReceiver(
  { env, databaseUrl }: SimulatedSystem,
  lines: Lines,
  scope: Scope,
  say: SimulationOptions['say'],
): Promise<Supervised> {
  const address = `127.0.0.1:${await freePort()}`;
  const key = `whsec_${randomBytes(32).toString('base64')}`;
  env.bank.book.subscriptions.replaceAll([
    {
      ...{ eventType: MONEY_MOVEMENT, endpoint: `http://${address}/webhooks/${PATH_SECRET}`, info: '' },
      ...{ secretKey: key, signature: 'standard' },
    },
  ]);
  return supervise(
    scope,
    () =>
      startServiceProcess({
        command: 'receiver',
        env: {
          ...{
            DATABASE_URL: lines.throughLine(databaseUrl),
            RECEIVER_ADDRESS: address,
            RECEIVER_PATH_SECRET_FILE: 'path-secret',
          },
          ...{ WEBHOOK_VERIFY: 'standard', WEBHOOK_SECRET_FILE: 'secret', LOG_LEVEL: 'error' },
        },
        files: { 'path-secret': `${PATH_SECRET}\n`, secret: `${key}\n` },
      }),
    say,
  );
}

/** Waits until `ms` after the start of the simulation; false: the simulation is over. */
async function reaches(stage: Stage, ms: number): Promise<boolean> {
  while (!stage.isOver && Date.now() < stage.startedMs + ms)
    await sleep(Math.min(LOOK_EVERY_MS, Math.max(0, stage.startedMs + ms - Date.now())));
  return !stage.isOver;
}

/** What happens to one transfer from outside: starts, cancel, termination, reset, hints, forged notifications. */
async function callerOf(stage: Stage, planned: PlannedTransfer): Promise<void> {
  const { env, plan, counts } = stage;
  const { order, startMs, starts, cancelMs, terminateMs, reset } = planned;
  const { originId } = order;
  const client = plan.clock === 'workflow' ? env.skipping : env.giro;
  const start = async (): Promise<void> => {
    // A caller repeats a failed start.
    while (
      !(await client.startTransfer(order).then(
        () => true,
        () => false,
      ))
    )
      await sleep(LOOK_EVERY_MS);
  };
  await reaches(stage, startMs);
  // Even if the simulation is over by now: the auditor expects every order of the plan.
  await Promise.all(Array.from({ length: starts }, start));
  const at = async (ms: number | null, act: () => Promise<unknown>): Promise<void> => {
    if (ms === null || !(await reaches(stage, startMs + ms))) return;
    await act().catch(() => null);
  };
  await Promise.all([
    at(cancelMs, () => {
      stage.cancels.push({ originId: String(originId), at: new Date().toISOString() });
      return env.giro.cancelTransfer(originId);
    }),
    at(terminateMs, async () => {
      await env.transfer(originId).terminate('simulation');
      await start();
    }),
    at(reset?.ms ?? null, async () => {
      // A reset fails while no workflow task is completed, or while the server is away.
      for (let tries = 0; tries < RESET_TRIES_MAX && !stage.isOver; tries += 1) {
        const isReset = await resetRun(stage, originId, reset?.at ?? 0).catch(() => false);
        if (isReset) counts.resets += 1;
        if (isReset) return;
        await sleep(2 * LOOK_EVERY_MS);
      }
    }),
    ...planned.hintsMs.map((ms, i) =>
      at(ms, async () => {
        await env.giro.hintTransfer(originId, { source: 'simulation', eventId: String(i) });
        counts.hints += 1;
      }),
    ),
    ...planned.forgedMs.map((ms) =>
      at(ms, () => {
        env.bank.book.notifier.send(freeNotification(MONEY_MOVEMENT, forgery(originId)));
        return Promise.resolve();
      }),
    ),
  ]);
}

/** Resets the newest run to one of its completed workflow tasks, as an operator does in the UI. `at`: see the plan. */
async function resetRun({ env }: Stage, originId: number, at: number): Promise<boolean> {
  const { workflowService, options } = env.engine;
  const handle = env.transfer(originId);
  const { runId } = await handle.describe();
  const { events } = await env.engine.workflow.getHandle(handle.workflowId, runId).fetchHistory();
  const tasks = (events ?? []).filter((it) => it.workflowTaskCompletedEventAttributes != null);
  const eventId = tasks[Math.floor(at * tasks.length)]?.eventId;
  if (eventId == null) return false;
  await workflowService.resetWorkflowExecution({
    ...{ namespace: options.namespace, workflowExecution: { workflowId: handle.workflowId, runId } },
    ...{ reason: 'simulation', requestId: randomUUID(), workflowTaskFinishEventId: eventId },
  });
  return true;
}

const forgery = (originId: number) => ({
  ...{ type: MONEY_MOVEMENT, created: new Date().toISOString() },
  data: {
    id: null,
    status: 'FAILED',
    details: { type: 'DEBIT_TRANSFER_SENT_CVU', originId, networkId: null },
  },
});

async function onlookerOf(stage: Stage, { order, startMs, queriesEveryMs }: PlannedTransfer): Promise<void> {
  if (queriesEveryMs === null) return;
  for (let ms = startMs; await reaches(stage, ms); ms = Date.now() - stage.startedMs + queriesEveryMs) {
    const asked = stage.env.giro.transferState(order.originId, { timeoutMs: QUERY_TIMEOUT_MS });
    const state = await asked.catch(() => null);
    if (state !== null) stage.counts.queries += 1;
    if (state?.phase === 'ended') return;
  }
}

/** The operators: once the transfer is flagged, one or two of them decide as planned. */
async function operatorsOf(stage: Stage, { order, startMs, decision }: PlannedTransfer): Promise<void> {
  const { originId } = order;
  let tries = decision === null ? DECISION_TRIES_MAX : 0;
  for (let ms = startMs; tries < DECISION_TRIES_MAX && (await reaches(stage, ms));) {
    ms = Date.now() - stage.startedMs + 2 * LOOK_EVERY_MS;
    if (stage.standing.ended.has(originId)) break;
    if (decision === null || !stage.standing.flagged.has(originId)) continue;
    tries += 1;
    for (const operator of decision.isByTwo ? OPERATORS : OPERATORS.slice(0, 1)) {
      await decide(stage, originId, decision.action, operator).then(
        () => (stage.counts.decisions += 1),
        () => null,
      );
    }
  }
  stage.decided.add(originId);
}

async function decide(
  { env, signing }: Stage,
  originId: number,
  action: DecisionAction,
  operator: string,
): Promise<void> {
  const timing = { timeoutMs: 2 * QUERY_TIMEOUT_MS };
  const given = { action, operator, reason: 'simulation' };
  if (signing === null) {
    await env.giro.decide(originId, given, timing);
    return;
  }
  const { line, decision } = await env.giro.decisionToSign(originId, given, { lifeMs: SIGNATURE_LIFE_MS });
  await env.giro.decide(originId, { ...decision, signature: signing.signDecision(operator, line) }, timing);
}

async function emergencyBrake(stage: Stage): Promise<void> {
  const set = (stopped: boolean) =>
    untilDone(() => stage.env.journal.setSending({ stopped, operator: OPERATORS[0], reason: 'simulation' }));
  for (const { fromMs, toMs } of stage.plan.sendingStops) {
    if (!(await reaches(stage, fromMs))) return;
    await set(true);
    await reaches(stage, toMs);
    await set(false);
  }
}

/** Repeats a call until it succeeds, as people do while a server is unreachable. */
async function untilDone(act: () => Promise<unknown>): Promise<void> {
  while (
    !(await act().then(
      () => true,
      () => false,
    ))
  )
    await sleep(LOOK_EVERY_MS);
}

/** Kills all workers when the key is lost, and again when it is found: they restart with the other key ring. */
async function lossesOfKey(stage: Stage, workers: readonly Supervised[]): Promise<void> {
  const set = (isLost: boolean): void => {
    stage.key.isLost = isLost;
    const at = new Date().toISOString();
    stage.losses.push({ from: at, to: at });
    for (const worker of workers) worker.strike();
  };
  for (const { fromMs, toMs } of stage.plan.keyLosses) {
    if (!(await reaches(stage, fromMs))) return;
    set(true);
    stage.counts.keyLosses += 1;
    await reaches(stage, toMs);
    set(false);
  }
}

async function verificationOf(stage: Stage, { requestId, startMs }: PlannedVerification): Promise<void> {
  await reaches(stage, startMs);
  await untilDone(() => stage.env.giro.trackVerification(requestId));
}

/** The verifications, with the bank's last status and the journal's outcome. */
async function verificationsOf({ plan, env, databaseUrl }: Stage): Promise<Books['verifications']> {
  const sql = new Sql({ connectionString: databaseUrl });
  await sql.connect();
  try {
    const { rows } = await sql.query<{ request_id: string; outcome: string }>(
      'select request_id, outcome from giro.verification_outcome',
    );
    return plan.verifications.map(({ requestId }) => {
      const bankWord = env.bank.book.verification(requestId)?.status ?? null;
      const means = MEANINGS[bankWord ?? ''] ?? 'pending';
      return {
        ...{ requestId, bankWord, meaning: means === 'pending' ? null : means },
        outcome: rows.find((it) => it.request_id === requestId)?.outcome ?? null,
      };
    });
  } finally {
    await sql.end();
  }
}

/** Runs the planned reconciliation; null: the simulation was over before its time. */
async function reconciliationOf(stage: Stage): Promise<Books['reconciliation']> {
  const { env, taskQueue, plan } = stage;
  if (!(await reaches(stage, plan.reconcileMs))) return null;
  // By the slowest clock of a worker: a worker refuses an `asOf` in the future.
  const nowMs = Date.now() + Math.min(0, ...plan.clocksAheadMs);
  const asOf = new Date(Math.floor(nowMs / 1_000) * 1_000).toISOString();
  const startedAt = new Date().toISOString();
  await untilDone(() => startReconciliation(env.engine, taskQueue, { asOf }));
  for (let calmMs = 0; ;) {
    const report = await env.journal.report(asOf).catch(() => null);
    if (report === null && calmMs < RECONCILED_WITHIN_MS) {
      await sleep(2 * LOOK_EVERY_MS);
      if (stage.isOver) calmMs += 2 * LOOK_EVERY_MS;
    } else
      return {
        ...{ startedAt, hasReport: report !== null },
        breaks: (report?.breaks ?? []).map((it) => ({
          ...{ class: it.class, originId: it.originId === null ? null : String(it.originId) },
        })),
      };
  }
}

/** Time for the report once the simulation is over: faults before that may delay the reconciliation. */
const RECONCILED_WITHIN_MS = 180_000;

/** Causes the system faults one after the other; each is repaired before the next one and before the books are read. */
async function faultsOfSystem(stage: Stage, lines: Lines, scope: Scope): Promise<void> {
  const { servers, counts, plan } = stage;
  scope.own(servers, ({ engine, journal, engineStore }) => {
    engine.thaw();
    journal.thaw();
    engineStore?.thaw();
  });
  for (const fault of plan.systemFaults) {
    if (!(await reaches(stage, fault.atMs))) return;
    counts.systemFaults[fault.name] = (counts.systemFaults[fault.name] ?? 0) + 1;
    const from = new Date().toISOString();
    await inflict(servers, lines, fault);
    stage.losses.push({ from, to: new Date().toISOString() });
  }
}

async function faultsOfReceiver(stage: Stage, receiver: Supervised): Promise<void> {
  const isOver = (): boolean => stage.isOver;
  for (const { at, stopMs } of stage.plan.receiverFaults) {
    const isDue = () => stage.env.bank.book.notifier.records.length >= at;
    // A fault that falls due while the receiver is starting waits for that start.
    while (!isOver() && !(isDue() && receiver.current() !== null)) await sleep(LOOK_EVERY_MS);
    const running = receiver.current();
    if (isOver() || running === null) return;
    if (stopMs === null) {
      receiver.strike();
      stage.counts.receiverKills += 1;
      continue;
    }
    stage.counts.receiverStops += 1;
    signalAll([running.pid], 'SIGSTOP');
    const untilMs = Date.now() + stopMs;
    while (!isOver() && Date.now() < untilMs) await sleep(LOOK_EVERY_MS);
    signalAll([running.pid], 'SIGCONT');
  }
}

const OPEN = `
select t.origin_id::text from unnest($1::bigint[]) t(origin_id)
where not exists (select from giro.result e where e.origin_id = t.origin_id)
  and not (t.origin_id = any($2::bigint[]) and coalesce((
    select f.reasons && array_remove(f.reasons, 'OPEN_TOO_LONG')
      and f.recorded_at < clock_timestamp() - $3::integer * interval '1 ms'
    from giro.flags f where f.origin_id = t.origin_id order by f.seq desc limit 1), false))
  and not (t.origin_id = any($4::bigint[]) and exists (
    select from giro.request r where r.origin_id = t.origin_id and r.kind = 'lookup'))
union all
select v.request_id from unnest($5::text[]) v(request_id)
where not exists (select from giro.verification_outcome o where o.request_id = v.request_id)`;

const STANDING = `
select t.origin_id::text, exists (select from giro.result e where e.origin_id = t.origin_id) as ended,
  coalesce((select cardinality(f.reasons) > 0
    from giro.flags f where f.origin_id = t.origin_id order by f.seq desc limit 1), false) as flagged
from unnest($1::bigint[]) t(origin_id)`;

interface Standing {
  readonly origin_id: string;
  readonly ended: boolean;
  readonly flagged: boolean;
}

/**
 * The transfers and verifications that the simulation still waits for. Not waited for: ended ones, those that wait for
 * people (with `OPEN_TOO_LONG` alone, nobody has to act), and transfers that the plan leaves open, once they are looked
 * up. Null: the journal is away. Also updates `standing`, from which the operators learn what is flagged, because
 * queries of all runs would be most of the load.
 */
async function lookIntoJournal(stage: Stage): Promise<readonly string[] | null> {
  const { plan, decided, databaseUrl } = stage;
  const originIds = plan.transfers.map(({ order }) => order.originId);
  const endless = plan.transfers.filter(({ neverEnds }) => neverEnds);
  // A new connection each time, because faults break connections.
  const sql = new Sql({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 2_000,
    query_timeout: 5_000,
  });
  sql.on('error', () => undefined);
  try {
    await sql.connect();
    const standing = (await sql.query<Standing>(STANDING, [originIds])).rows;
    const those = (which: (it: Standing) => boolean) =>
      new Set(standing.filter(which).map((it) => Number(it.origin_id)));
    stage.standing = { flagged: those((it) => it.flagged), ended: those((it) => it.ended) };
    const { rows } = await sql.query<{ origin_id: string }>(OPEN, [
      originIds,
      [...decided],
      FLAGGED_MS,
      endless.map(({ order }) => order.originId),
      plan.verifications.map(({ requestId }) => requestId),
    ]);
    return rows.map(({ origin_id }) => origin_id);
  } catch {
    return null;
  } finally {
    await sql.end().catch(() => undefined);
  }
}

const cutOff = (maxMs: number): Violation => ({
  ...{ rule: 'cut-off', originId: null },
  sentence: `not all transfers and verifications had ended after ${maxMs / 60_000} minutes: allow more minutes (--minutes)`,
});

/** Least share of the planned worker faults that must fire: most transfers reach the point of their fault. */
const STRUCK_SHARE_MIN = 1 / 3;

/** A violation if too few faults fired: without faults a simulation proves nothing. */
const tooFewStrikes = (planned: number, struck: number): readonly Violation[] =>
  struck >= planned * STRUCK_SHARE_MIN
    ? []
    : [
        {
          ...{ rule: 'too-few-faults', originId: null },
          sentence: `only ${struck} of ${planned} planned faults of workers took place`,
        },
      ];

function doneOf(
  { stage, workers, injector }: { stage: Stage; workers: readonly Supervised[]; injector: FaultInjector },
  books: Books,
): SimulationOutcome['done'] {
  const ended: Record<string, number> = {};
  for (const { result } of books.journal.result) ended[result.status] = (ended[result.status] ?? 0) + 1;
  const fired = new Set(injector.fired());
  const struck = stage.plan.faults.filter(({ originId }) => fired.has(originId));
  const actions = struck.map(({ action }) => action);
  const points = Object.keys(FAULT_POINTS).map((point) => [
    point,
    struck.filter((it) => it.point === point).length,
  ]);
  return {
    ...{ transfers: books.orders.length, ended, ...stage.counts },
    points: Object.fromEntries(points) as Record<FaultPoint, number>,
    kills: actions.filter((action) => action === 'kill').length,
    stops: actions.filter((action) => action === 'stop').length,
    bankRequests: books.bank.requests.length,
    endedByThemselves: workers.reduce((total, it) => total + it.endedByThemselves(), 0),
    standstillMs: longestStandstill(books).ms,
    ms: Date.now() - stage.startedMs,
  };
}
