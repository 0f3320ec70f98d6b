import { Client } from 'pg';
import { until } from '../../dev/giro-environment';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { holdClaims } from './held-claims';

const environment = useEnvironment({
  rules: [
    { match: { description: 'outage while delayed' }, states: ['CREATED', 'DELAYED', 'COMPLETED'] },
    { match: { description: 'outage at the end' }, states: ['CREATED', 'DELAYED', 'FAILED'] },
  ],
});

let tellAway: () => void = () => undefined;
const isAway = new Promise<void>((resolve) => {
  tellAway = resolve;
});

/** Each transfer's third request waits until the journal is away: it must not end the transfer before the outage. */
beforeAll(async () => {
  const test = environment();
  await test.worker.stop();
  test.worker = await test.env.startWorker({ change: holdClaims(3, isAway) });
});

/** Takes the journal away from every worker, and gives it back. */
async function withoutJournal(during: () => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: environment().databaseUrl });
  await admin.connect();
  try {
    await admin.query('alter schema giro rename to giro_away');
    tellAway();
    try {
      await during();
    } finally {
      await admin.query('alter schema giro_away rename to giro');
    }
  } finally {
    await admin.end();
  }
}

const eventsOf = async (originId: number): Promise<number> => {
  const { raw } = await environment().env.transfer(originId).describe();
  return Number(raw.workflowExecutionInfo?.historyLength ?? 0);
};
const runIdOf = async (originId: number): Promise<string> =>
  (await environment().env.transfer(originId).describe()).runId;

async function startUntilDelayed(description: string): Promise<number> {
  const { env } = environment();
  const originId = nextOriginId();
  await env.skipping.startTransfer(orderOf(originId, description));
  await until(
    () => env.journal.transfer(originId),
    (record) => record?.bankStatus === 'DELAYED',
  );
  return originId;
}

it('the journal is away for longer than a step is tried: nothing is lost, sent or filled up', async () => {
  const { env } = environment();
  const ids = await Promise.all(['outage while delayed', 'outage at the end'].map(startUntilDelayed));
  const [completing = 0, failing = 0] = ids;
  const runs = await Promise.all(ids.map(runIdOf));
  const before = ids.map((id) => auditRequests(env, id));
  await withoutJournal(async () => {
    // All tries of one step, some ten minutes of the workflow's time: then a new run, with a short history.
    await until(
      () => Promise.all(ids.map(runIdOf)),
      (now) => now.every((runId, i) => runId !== runs[i]),
    );
    expect(ids.map((id) => auditRequests(env, id))).toEqual(before);
    for (const id of ids) expect(await eventsOf(id)).toBeLessThan(200);
  });
  const results = await Promise.all(ids.map((id) => env.giro.waitForTransfer(id, { timeoutMs: 300_000 })));
  expect(results.map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED']);
  for (const id of ids) {
    const requests = auditRequests(env, id);
    expect(creates(requests)).toHaveLength(1);
    expect(requests).toHaveLength(3);
    expect(requests[2]!.gapMs).toBeGreaterThanOrEqual(630_000);
  }
  const annulled = (await env.journal.annulments({ since: null, after: null, limit: 1_000 })).map(
    ({ originId }) => originId,
  );
  expect(annulled).toContain(failing);
  expect(annulled).not.toContain(completing);
});
