import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { madeUpOrder } from '../dev/made-up-order';
import { lastingPort } from '../dev/free-port';
import { until } from '../dev/giro-environment';
import { startReceiverProcess } from '../dev/receiver-process';
import type { Scope } from '../dev/scope';
import { startWholeSystem } from '../dev/whole-system';
import { startWorkerProcess } from '../dev/worker-process';
import { inParallel } from '../src/activities/in-parallel';
import { ourBank } from '../src/bank/our-bank';
import { bodyFingerprint, orderFingerprint } from '../src/domain/order-fingerprint';
import type { Bench } from './bench';
import type { SenderReport, SenderTask } from './webhook-sender';

/**
 * First at the rate of a busy bank, one notification for each transfer: how soon after the answer the transfer is
 * hinted.
 */
const BUSY_RATE = 50;
const BUSY_P99_MAX_MS = 200;
/** Least time between two hints of a transfer. */
const HINT_GAP_MS = 5_000;
const RATE = 500;
const SECONDS = 20;
const TRANSFERS = 500;
const STARTS_AT_ONCE = 20;

/**
 * Notifications about open transfers, at a rate that no bank of this country has, from a separate process. Journal and
 * Temporal are on the same machine. The runs of the transfers only receive signals; other benches measure what a worker
 * does after a hint.
 */
export const webhooks: Bench = async (scope, { say }) => {
  const { env, databaseUrl, temporalAddress, access } = await startWholeSystem(scope, {
    ui: false,
    rules: [],
    say,
  });
  const sql = scope.own(new Client({ connectionString: databaseUrl }), (it) => it.end());
  await sql.connect();
  const originIds = Array.from({ length: TRANSFERS }, (_, i) => i + 1);
  await inParallel(originIds, STARTS_AT_ONCE, async (originId) => {
    const order = madeUpOrder(originId, 'bench');
    await env.giro.startTransfer(order);
    await env.journal.openTransfer({
      ...{
        order,
        orderSha256: orderFingerprint(order),
        bodySha256: bodyFingerprint(ourBank.movements.createBody(order)),
      },
    });
  });
  const address = `127.0.0.1:${await lastingPort()}`;
  const pathSecret = randomBytes(24).toString('hex');
  const receiver = scope.own(await startReceiverProcess({ databaseUrl, address, pathSecret }), async (it) => {
    await it.stop();
  });
  // The worker only sends hints; its task queue has no runs.
  const worker = scope.own(
    await startWorkerProcess({ temporalAddress, databaseUrl, access, taskQueue: 'giro-hints' }),
    async (it) => {
      await it.stop();
    },
  );
  const count = async (text: string): Promise<number> => {
    const { rows } = await sql.query<{ n: number }>(`select count(*)::integer as n from ${text}`);
    return rows[0]?.n ?? 0;
  };
  const url = `http://${address}/webhooks/${pathSecret}`;
  const isWorkedOff = () =>
    until(
      () => count('giro.notification where due_at is not null'),
      (left) => left === 0,
      120_000,
    );
  const waits = async () => {
    const { rows } = await sql.query<{ p50: number; p99: number }>(
      `select percentile_cont(0.5) within group (order by ms) as p50, percentile_cont(0.99) within group (order by ms) as p99
       from (select extract(epoch from done_at - received_at)::float8 * 1000 as ms from giro.notification
         where outcome = 'hinted' and tries = 1) hinted`,
    );
    return rows[0] ?? { p50: NaN, p99: NaN };
  };
  say(
    `${TRANSFERS} transfers are open, the receiver serves; ${BUSY_RATE} notifications a second, one of each`,
  );
  await send(scope, { url, rate: BUSY_RATE, count: TRANSFERS, originIds: TRANSFERS });
  await isWorkedOff();
  const busy = await waits();
  await sql.query('delete from giro.notification');
  await setTimeout(HINT_GAP_MS);
  say(`${RATE} notifications a second for ${SECONDS} s`);
  const sent = await send(scope, { url, rate: RATE, count: RATE * SECONDS, originIds: TRANSFERS });
  const sentAtMs = Date.now();
  await isWorkedOff();
  const workedOffMs = Date.now() - sentAtMs;
  const stored = await count('giro.notification');
  const hinted = await count(`giro.notification where outcome in ('hinted', 'merged')`);
  const transfersHinted = await count('giro.hint where delivered_at is not null');
  const flooded = await waits();
  const cpuMs = cpuTimeMs(receiver.pid);
  const workerCpuMs = cpuTimeMs(worker.pid);
  await receiver.stop();

  const total = RATE * SECONDS;
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  const failures = [
    ...(sent.answered === total ? [] : [`${sent.answered} of ${total} were answered 200`]),
    ...(stored === total ? [] : [`${stored} of ${total} are in the inbox`]),
    ...(hinted === total ? [] : [`${hinted} of ${total} became a hint`]),
    ...(transfersHinted === TRANSFERS ? [] : [`${transfersHinted} of ${TRANSFERS} transfers were hinted`]),
    // The negated form also fails on NaN, when nothing was measured.
    ...(busy.p99 <= BUSY_P99_MAX_MS
      ? []
      : [`answered → hinted at ${BUSY_RATE}/s took ${ms(busy.p99)} at p99, above ${BUSY_P99_MAX_MS} ms`]),
  ];
  return {
    title: `webhooks: ${total} notifications about ${TRANSFERS} transfers in ${sent.tookSeconds.toFixed(1)} s`,
    head: ['', 'measured'],
    rows: [
      ['answered 200', String(sent.answered)],
      ['repeated', String(sent.repeats)],
      ['in the inbox', String(stored)],
      ['hinted or merged', String(hinted)],
      ['transfers hinted', String(transfersHinted)],
      ['answer, median', ms(sent.p50Ms)],
      ['answer, p99', ms(sent.p99Ms)],
      ['answer, slowest', ms(sent.maxMs)],
      [`answered → hinted at ${BUSY_RATE}/s, median`, ms(busy.p50)],
      [`answered → hinted at ${BUSY_RATE}/s, p99`, ms(busy.p99)],
      // Without notifications whose transfer was hinted less than 5 s before.
      [`answered → hinted at ${RATE}/s, median`, ms(flooded.p50)],
      [`answered → hinted at ${RATE}/s, p99`, ms(flooded.p99)],
      // Unlike times, processor time does not depend on the machine's other work.
      ['CPU of the receiver, each', cpuMs === null ? '–' : ms(cpuMs / total)],
      ['CPU of the worker, each', workerCpuMs === null ? '–' : ms(workerCpuMs / total)],
      ['worked off after the last', `${(workedOffMs / 1_000).toFixed(1)} s`],
    ],
    failures,
  };
};

/** Processor time of a process so far, in ms, on Linux, where a tick is 10 ms; null elsewhere. */
function cpuTimeMs(pid: number): number | null {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return null;
  // After the program's name in brackets, user and system time are the 12th and 13th fields.
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function send(scope: Scope, task: SenderTask): Promise<SenderReport> {
  const child = fork(join(__dirname, 'webhook-sender.js'), { serialization: 'advanced' });
  scope.own(child, (it) => {
    it.kill();
    return Promise.resolve();
  });
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as SenderReport));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the sender ended (code ${code})`)));
    child.send(task);
  });
}
