import { setTimeout } from 'node:timers/promises';
import { BAD_RUN_MAX } from '../../src/bank/limiter/circuit-breaker';
import { busiestSecond } from '../../bench/samples';
import { until } from '../../dev/giro-environment';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/**
 * A bank that is away is asked by one request at a time, and when it comes back it meets each transfer at its own
 * time: no queue has built up on our side.
 */
const TRANSFERS = 100;
const LEFT_OUT_MAX = 5;
const POLL_ACTIVE_MS = 5_000;
const POLL_DELAYED_MS = 6_000;
/** Started evenly over this: the steady state then has no waves of its own. */
const START_MS = 5_000;
/**
 * The busiest second, as a multiple of the mean. What came due during the outage comes within half a cadence, which is
 * twice the mean, and chance adds to it. All at once would be five times the mean.
 */
const BURST_MAX = 3.5;

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

/** Begins to measure the longest time that an answer of this process and of both servers takes, in ms. */
function measureStalls(): () => Promise<number> {
  const { env } = environment();
  const state = { isOver: false };
  const measuring = (async () => {
    let longestMs = 0;
    while (!state.isOver) {
      const fromMs = performance.now();
      await Promise.allSettled([env.engine.workflowService.getSystemInfo({}), env.journal.transfer(1)]);
      await setTimeout(50);
      longestMs = Math.max(longestMs, performance.now() - fromMs);
    }
    return longestMs;
  })();
  return () => {
    state.isOver = true;
    return measuring;
  };
}

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
  const logOf = (originId: number) => env.bank.book.requests(String(originId));
  // A create that met the outage would be looked up twelve times first. So would one whose step is repeated, as a busy
  // machine may cause: such transfers are left out.
  const originIds = await until(
    () => Promise.resolve(started.filter((originId) => logOf(originId).some(isTaken))),
    (taken) => taken.length >= TRANSFERS - LEFT_OUT_MAX,
  );
  env.bank.setOutage('http-503');
  const metOutage = () =>
    originIds.flatMap((originId) => logOf(originId)).filter(({ outcome }) => outcome === 'outage-http-503');
  // The requests that open the circuit, those in flight meanwhile, and a probe every half cadence.
  await until(
    () => Promise.resolve(metOutage().length),
    (count) => count >= BAD_RUN_MAX,
  );
  // Long enough that each transfer was due in it.
  await setTimeout(POLL_DELAYED_MS + POLL_ACTIVE_MS);
  // Without the breaker each transfer would have asked.
  expect(metOutage().length).toBeLessThan(TRANSFERS);
  for (const originId of originIds) {
    env.bank.book.restate(String(originId), LAST_STATES[delayed.has(originId) ? 'delayed' : 'active']);
  }
  const backMs = Date.now();
  env.bank.setOutage('none');
  const stalls = measureStalls();
  const results = await Promise.all(
    originIds.map((originId) => env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })),
  ).finally(stalls);
  const stalledMs = await stalls();
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));

  const after: number[] = [];
  for (const originId of originIds) {
    const records = logOf(originId);
    const gapMs = delayed.has(originId) ? POLL_DELAYED_MS : POLL_ACTIVE_MS;
    const afterCreate = records.slice(records.findIndex(isTaken) + 1);
    expect(afterCreate.filter(({ service }) => service !== 'get-movement')).toEqual([]);
    for (const [i, { at }] of records.entries()) {
      if (Date.parse(at) >= backMs) after.push(Date.parse(at));
      const before = records[i - 1]?.finishedAt;
      if (before != null) expect(Date.parse(at) - Date.parse(before)).toBeGreaterThanOrEqual(gapMs);
    }
  }
  const steadyPerSecond =
    TRANSFERS / 2 / (POLL_ACTIVE_MS / 1_000) + TRANSFERS / 2 / (POLL_DELAYED_MS / 1_000);
  // What came due while the machine stood still comes at once when it goes on.
  const secondsInOne = 1 + stalledMs / 1_000;
  expect(busiestSecond(after)).toBeLessThan(BURST_MAX * steadyPerSecond * secondsInOne);
});

const isTaken = ({
  service,
  status,
}: {
  readonly service: string;
  readonly status: number | null;
}): boolean => service === 'transfer-request' && status === 200;
