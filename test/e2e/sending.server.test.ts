import { stateOf, until } from '../../dev/giro-environment';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** The emergency brake: creates wait, polls go on. One file: the brake is the whole journal's. */

const environment = useEnvironment({
  rules: [
    { match: { description: 'open' }, states: ['IN_PROGRESS'] },
    { match: { description: 'at once' }, states: ['COMPLETED'] },
    { match: { description: 'lost' }, create: ['reset', 'ok'], states: ['COMPLETED'] },
  ],
});

const set = (stopped: boolean) =>
  environment().env.journal.setSending({ stopped, operator: 'ana', reason: 'the bank asked us to' });

async function waiting(description: string): Promise<number> {
  const { env } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, description));
  await until(
    () => stateOf(env, originId),
    (view) => view.sendingStopped !== null,
  );
  return originId;
}

const completes = async (originId: number) =>
  expect((await environment().env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).status).toBe(
    'COMPLETED',
  );

/** The events of a transfer's history from the last hint to the last try to send. */
async function fromHintToSend(originId: number) {
  const { events } = await environment().env.transfer(originId).fetchHistory();
  const all = events ?? [];
  return all.slice(
    all.findLastIndex(({ workflowExecutionSignaledEventAttributes: signal }) => signal != null),
    1 +
      all.findLastIndex(
        ({ activityTaskScheduledEventAttributes: task }) => task?.activityType?.name === 'createTransfer',
      ),
  );
}

const sendsOf = (originId: number) => creates(auditRequests(environment().env, originId)).length;

/** Hints, each of which doubles the pause before the next try while sending is stopped: the next is minutes away. */
async function hintUntilFar(originId: number): Promise<void> {
  const { env } = environment();
  for (const pauseMs of [30_000, 60_000, 120_000]) {
    const hintedMs = Date.now();
    await env.giro.hintTransfer(originId, { source: 'test', eventId: String(pauseMs) });
    await until(
      () => stateOf(env, originId),
      ({ nextPollAt }) => Date.parse(nextPollAt ?? '') >= hintedMs + pauseMs,
    );
  }
}

/** Of transfers that wait for the brake. */
const held = { hinted: 0, lost: 0, repeat: 0 };

it('stopped: creates wait and say so, through a restart of the worker; polls go on', async () => {
  const { env, taskQueue } = environment();
  const asked = nextOriginId();
  held.repeat = nextOriginId();
  await env.giro.startTransfer(orderOf(asked, 'open'));
  await until(
    () => stateOf(env, asked),
    ({ bankStatus }) => bankStatus === 'IN_PROGRESS',
  );
  await env.skipping.startTransfer(orderOf(held.repeat, 'lost'));
  await until(
    () => stateOf(env, held.repeat),
    ({ sends }) => sends === 1,
  );

  const { since } = await set(true);
  env.bank.book.restate(String(asked), ['IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED']);
  const [cancelled, lost, hinted] = await Promise.all(['at once', 'at once', 'at once'].map(waiting));
  Object.assign(held, { lost, hinted });
  expect(await stateOf(env, held.hinted)).toMatchObject({
    phase: 'sending',
    sends: 0,
    sendingStopped: { at: since, operator: 'ana', reason: 'the bank asked us to' },
    nextPollAt: expect.any(String),
  });
  await hintUntilFar(held.hinted);
  await env.giro.cancelTransfer(cancelled!);
  expect((await env.giro.waitForTransfer(cancelled!, { timeoutMs: 300_000 })).status).toBe('WITHDRAWN');

  await env.transfer(held.lost).terminate('for the test');
  const workflowId = `giro-recovery-${held.lost}`;
  expect(await env.engine.workflow.execute('recovery', { workflowId, taskQueue })).toMatchObject({
    recovered: [held.lost],
  });
  await environment().worker.stop();
  environment().worker = await env.startWorker();
  for (const originId of [held.lost, held.hinted]) {
    const again = await until(
      () => stateOf(env, originId),
      (view) => view.sendingStopped !== null,
    );
    expect(again.sends).toBe(0);
  }
  await completes(asked);
  // Twelve not-founds make the repeat due; held back, it is looked up again (time skipped).
  await until(
    () => Promise.resolve(auditRequests(env, held.repeat).length),
    (count) => count > 14,
  );
  expect([cancelled!, held.lost, held.hinted, held.repeat].map(sendsOf)).toEqual([0, 0, 0, 1]);
});

it('go: a hint lets them out at once; without one they go by themselves; so does the repeat', async () => {
  const { env } = environment();
  await set(false);
  await env.giro.hintTransfer(held.hinted, { source: 'test', eventId: '1' });
  await completes(held.hinted);
  // It waited for no timer.
  const letOut = await fromHintToSend(held.hinted);
  expect(letOut.length).toBeGreaterThan(1);
  expect(letOut.filter(({ timerFiredEventAttributes: timer }) => timer != null)).toEqual([]);
  expect(await stateOf(env, held.hinted)).toMatchObject({ sendingStopped: null });
  await Promise.all([completes(held.lost), completes(held.repeat)]);
  expect([held.hinted, held.lost, held.repeat].map(sendsOf)).toEqual([1, 1, 2]);
});
