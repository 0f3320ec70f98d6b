import { setTimeout } from 'node:timers/promises';
import { activityInfo } from '@temporalio/activity';
import { BAD_RUN_MAX } from '../../src/bank/limiter/circuit-breaker';
import { busiestSecond } from '../../bench/samples';
import { until } from '../../dev/giro-environment';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/**
 * A bank that is away is asked by one request at a time, and when it comes back it meets each transfer at its own
 * time: no queue has built up on our side.
 *
 * When a request arrives depends on the machine too: after a stall, all that came due meanwhile arrives at once. So the
 * test checks the times that the limiter gives, and that no request arrives before its time.
 */
const TRANSFERS = 100;
/** See `haveCreates`. */
const LEFT_OUT_MAX = 5;
const POLL_ACTIVE_MS = 5_000;
const POLL_DELAYED_MS = 6_000;
/** The pause between two probes, and what the returning requests are spread over. */
const HALF_CADENCE_MS = POLL_ACTIVE_MS / 2;
/** Started evenly over this: the steady state then has no waves of its own. */
const START_MS = 5_000;
/**
 * Most transfers that may be due within one second. If they are spread over half a cadence, two fifths of them are; if
 * they are not spread, all of them are.
 */
const IN_ONE_SECOND_MAX = TRANSFERS / 2;

const environment = useEnvironment({
  settings: {
    ...{ pollActiveMs: POLL_ACTIVE_MS, pollDelayedMs: POLL_DELAYED_MS },
    // Long time-outs: only the outage makes requests fail, not a busy machine.
    ...{ createTimeoutMs: 240_000, lookupTimeoutMs: 120_000 },
  },
  rules: [
    { match: { description: 'active' }, states: ['CREATED'] },
    { match: { description: 'delayed' }, states: ['DELAYED'] },
  ],
});

/** Two look-ups, the second of which brings the end. */
const LAST_STATES = {
  active: ['CREATED', 'IN_PROGRESS', 'COMPLETED'],
  delayed: ['DELAYED', 'DELAYED', 'COMPLETED'],
};

interface Noted {
  readonly workflowId: string;
  readonly atMs: number;
  /** The time given to a deferred request; null: it was admitted. */
  readonly dueMs: number | null;
  /** False for a deferred request, and for a second attempt at a step: its request is admitted but not made. */
  isMade: boolean;
}

/** What the limiter has answered, in order. */
const admissions: Noted[] = [];

/** Instead of the environment's worker: one whose limiter's answers are noted. */
beforeAll(async () => {
  const test = environment();
  await test.worker.stop();
  test.worker = await test.env.startWorker({
    change: (parts) => ({
      ...parts,
      limiter: {
        admit: async (request, options) => {
          const admission = await parts.limiter.admit(request, options);
          const atMs = Date.now();
          const { workflowId = '' } = activityInfo().workflowExecution ?? {};
          const dueMs = admission.kind === 'deferred' ? atMs + admission.afterMs : null;
          const noted: Noted = { workflowId, atMs, dueMs, isMade: false };
          admissions.push(noted);
          if (admission.kind === 'deferred') return admission;
          const { permit } = admission;
          const made: typeof permit.made = (health) => {
            noted.isMade = true;
            permit.made(health);
          };
          return { ...admission, permit: { ...permit, made } };
        },
      },
    }),
  });
});

const logOf = (originId: number) => environment().env.bank.book.requests(String(originId));

/**
 * Those of the transfers that have their creates; at most `LEFT_OUT_MAX` are left out. Others are still on their way,
 * or their create is repeated on a busy machine. A create that meets the outage is looked up twelve times first: such a
 * transfer would show nothing of how the others come back.
 */
const haveCreates = (started: readonly number[]): Promise<readonly number[]> =>
  until(
    () => Promise.resolve(started.filter((originId) => logOf(originId).some(isTaken))),
    (taken) => taken.length >= TRANSFERS - LEFT_OUT_MAX,
  );

it(`${TRANSFERS} transfers through an outage: no burst afterwards, no gap broken`, async () => {
  const { env } = environment();
  const delayed = new Set<number>();
  const startedMs = Date.now();
  const started: number[] = [];
  for (let i = 0; i < TRANSFERS; i += 1) {
    const originId = nextOriginId();
    started.push(originId);
    if (i % 2 === 1) delayed.add(originId);
    await env.giro.startTransfer(orderOf(originId, i % 2 === 1 ? 'delayed' : 'active'));
    await setTimeout(Math.max(0, startedMs + ((i + 1) * START_MS) / TRANSFERS - Date.now()));
  }
  const originIds = await haveCreates(started);
  env.bank.setOutage('http-503');
  const deferralsOf = (originId: number) =>
    admissions.filter(
      ({ workflowId, dueMs }) => dueMs !== null && workflowId === env.transfer(originId).workflowId,
    );
  // Until each transfer was due in the outage.
  await until(
    () => Promise.resolve(originIds.filter((originId) => deferralsOf(originId).length === 0)),
    (left) => left.length === 0,
  );
  for (const originId of originIds) {
    env.bank.book.restate(String(originId), LAST_STATES[delayed.has(originId) ? 'delayed' : 'active']);
  }
  const backMs = Date.now();
  const opened = admissions.findIndex(({ dueMs }) => dueMs !== null);
  const probes = admissions.slice(opened).filter(({ isMade }) => isMade);
  env.bank.setOutage('none');
  const results = await Promise.all(
    originIds.map((originId) => env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })),
  );
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));

  const metOutage = started
    .flatMap((originId) => logOf(originId))
    .filter(({ outcome }) => outcome === 'outage-http-503');
  expect(metOutage.length).toBeGreaterThanOrEqual(BAD_RUN_MAX);
  // One probe for each half cadence that the outage has lasted, however long that was.
  const openMs = backMs - (admissions[opened]?.atMs ?? backMs);
  expect(probes.length).toBeLessThanOrEqual(1 + openMs / HALF_CADENCE_MS);
  expect(started.flatMap(logOf).length).toBeLessThanOrEqual(
    admissions.filter(({ dueMs }) => dueMs === null).length,
  );

  const times: number[] = [];
  for (const originId of originIds) {
    const records = logOf(originId);
    const gapMs = delayed.has(originId) ? POLL_DELAYED_MS : POLL_ACTIVE_MS;
    const afterCreate = records.slice(records.findIndex(isTaken) + 1);
    expect(afterCreate.filter(({ service }) => service !== 'get-movement')).toEqual([]);
    for (const [i, { at }] of records.entries()) {
      const before = records[i - 1]?.finishedAt;
      if (before != null) expect(Date.parse(at) - Date.parse(before)).toBeGreaterThanOrEqual(gapMs);
    }
    const returnedMs = records.map(({ at }) => Date.parse(at)).find((atMs) => atMs >= backMs) ?? NaN;
    const dueMs = deferralsOf(originId).findLast(({ atMs }) => atMs <= returnedMs)?.dueMs ?? NaN;
    expect(returnedMs).toBeGreaterThanOrEqual(dueMs);
    times.push(dueMs);
  }
  expect(busiestSecond(times)).toBeLessThanOrEqual(IN_ONE_SECOND_MAX);
});

const isTaken = ({
  service,
  status,
}: {
  readonly service: string;
  readonly status: number | null;
}): boolean => service === 'transfer-request' && status === 200;
