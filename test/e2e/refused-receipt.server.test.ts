import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import { decideUpdate } from '../../src/workflows/messages';
import { nextOriginId, orderOf, useEnvironment } from './environment';

// Before its receipt a run has the default cadences.
const environment = useEnvironment({
  quickTimers: true,
  rules: [{ match: { description: 'completed' }, states: ['COMPLETED'] }],
});

async function asOwner(text: string): Promise<void> {
  const client = new Client({ connectionString: environment().databaseUrl });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** As `EVENTS_PER_RUN` of the workflow. */
const EVENTS_PER_RUN = 1_000;

// Only the run knows such an order: if Temporal ended the run at its limit of events, nobody would start it again.
it('an order that the journal refuses is tried again for as long as it takes, and the history stays short', async () => {
  const { env } = environment();
  const originId = nextOriginId();
  await asOwner(`
    create function giro.of_the_house() returns trigger language plpgsql as $$
    begin raise exception 'giro: the rule of the house' using errcode = 'GR002'; end $$`);
  await asOwner(
    `create trigger of_the_house before insert on giro.transfer for each row when (new.origin_id = ${originId})
     execute function giro.of_the_house()`,
  );
  await env.skipping.startTransfer(orderOf(originId, 'completed'));
  await until(
    () => stateOf(env, originId),
    ({ attentionReasons }) => attentionReasons.includes('JOURNAL_CONFLICT'),
  );

  // A run with a waiting update cannot continue as new, so the update is answered although nothing is recorded.
  const resume = environment()
    .env.transfer(originId)
    .executeUpdate(decideUpdate, {
      args: [{ action: 'resume', operator: 'ana', reason: 'the rule was repealed' }],
    });
  await expect(resume).rejects.toMatchObject({
    cause: {
      type: 'DecisionNotRecorded',
      message: expect.stringContaining('the rule of the house') as string,
    },
  });

  // Hints stand for weeks: each is an event, as the tries are.
  const handle = env.transfer(originId);
  const { runId } = await handle.describe();
  for (let sent = 0; sent < EVENTS_PER_RUN; sent += 50) {
    const hint = { source: 'test', eventId: String(sent) };
    await Promise.all(Array.from({ length: 50 }, () => handle.signal('movementHint', hint)));
  }
  const later = await until(
    () => handle.describe(),
    (described) => described.runId !== runId && described.historyLength < EVENTS_PER_RUN,
  );
  expect(later.status.name).toBe('RUNNING');
  expect((await stateOf(env, originId)).attentionReasons).toContain('JOURNAL_CONFLICT');

  await asOwner('drop function giro.of_the_house() cascade');
  expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
    status: 'COMPLETED',
  });
  const { decisions = [] } = (await env.journal.transfer(originId)) ?? {};
  expect(decisions).toMatchObject([{ outcome: 'resumed', operator: 'ana' }]);
});
