import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import type { DecisionAction } from '../../src/client';
import { transferReport } from '../../src/commands/support/transfer-report';
import type { TransferView } from '../../src/domain/transfer/view';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** An end that the journal refuses is always reported: people see why, check again, and decide. */

const environment = useEnvironment({
  settings: { pollActiveMs: 300, pollDelayedMs: 300, deciders: ['ana', 'luis'] },
  rules: [
    { match: { description: 'in progress' }, states: ['IN_PROGRESS'] },
    { match: { description: 'completed' }, states: ['CREATED', 'COMPLETED'] },
    { match: { description: 'failed' }, states: ['CREATED', 'FAILED'] },
  ],
});

async function asOwner<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
  const client = new Client({ connectionString: environment().databaseUrl });
  await client.connect();
  try {
    return (await client.query<T>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function start(description: string): Promise<number> {
  const originId = nextOriginId();
  await environment().env.giro.startTransfer(orderOf(originId, description));
  return originId;
}

const decide = (originId: number, action: DecisionAction, operator: string) =>
  environment().env.giro.decide(originId, { action, operator, reason: 'looked at the books' });

const sees = (originId: number, isThere: (state: TransferView) => boolean): Promise<TransferView> =>
  until(() => stateOf(environment().env, originId), isThere);

const mayAccept = ({ mayDecide }: TransferView): boolean =>
  mayDecide.some(({ action }) => action.startsWith('accept-'));

/** Another writer's line under a look-up without news for the run: another movement. */
async function writeAnotherMovement(originId: number): Promise<void> {
  const write = () =>
    asOwner<{ number: number }>(
      `insert into giro.answer (origin_id, number, digest, kind, movement_id, bank_status, echo, evidence_sha256)
       select r.origin_id, r.number, 'by another', 'movement', '99', told.bank_status, told.echo, told.evidence_sha256
       from giro.request r
       cross join lateral (
         select a.* from giro.answer a
         where a.origin_id = r.origin_id and a.movement_id is not null order by a.number limit 1
       ) told
       where r.origin_id = $1 and r.kind = 'lookup'
         and r.number < (select max(l.number) from giro.request l where l.origin_id = $1)
         and not exists (
           select from giro.answer a where a.origin_id = r.origin_id and a.number = r.number
         )
       order by r.number limit 1 returning number`,
      [originId],
    );
  await until(write, (written) => written.length > 0);
}

/** A rule that only this database has; returns what lifts it. */
async function refuseAll(table: 'result' | 'annulment', originId: number): Promise<() => Promise<unknown>> {
  const name = `of_the_house_${originId}`;
  await asOwner(`
    create function giro.${name}() returns trigger language plpgsql as $$
    begin raise exception 'giro: the rule of the house' using errcode = 'GR002'; end $$`);
  await asOwner(
    `create trigger ${name} before insert on giro.${table} for each row when (new.origin_id = ${originId})
     execute function giro.${name}()`,
  );
  return () => asOwner(`drop function giro.${name}() cascade`);
}

/** In the query, in the record that `transfer show` prints, and in the journal's line. */
async function expectConflict(originId: number, reason: RegExp): Promise<TransferView> {
  const { env } = environment();
  const view = await sees(originId, ({ journalConflict }) => journalConflict !== null);
  expect(view).toMatchObject({ phase: 'held', needsAttention: true });
  expect(view.attentionReasons).toContain('JOURNAL_CONFLICT');
  expect(view.journalConflict).toMatch(reason);
  const lines = await until(
    () =>
      asOwner<{ reasons: string[]; conflict: string | null }>(
        'select reasons, conflict from giro.flags where origin_id = $1 order by seq desc limit 1',
        [originId],
      ),
    ([line]) => line?.reasons.includes('JOURNAL_CONFLICT') === true,
  );
  expect(lines[0]?.conflict).toBe(view.journalConflict);
  const record = await env.journal.transfer(originId);
  if (record === null) throw new Error('the journal does not know it');
  for (const shown of [transferReport(record, null), transferReport(record, view)])
    expect(shown).toMatchObject({ journalConflict: view.journalConflict, result: null });
  expect(await endsOf(originId)).toEqual({ results: 0, annulments: 0 });
  return view;
}

async function endsOf(originId: number) {
  const rows = await asOwner<{ results: number; annulments: number }>(
    `select (select count(*) from giro.result where origin_id = $1)::integer as results,
       (select count(*) from giro.annulment where origin_id = $1)::integer as annulments`,
    [originId],
  );
  return rows[0];
}

describe.each([
  ['COMPLETED', 'completed', 'result', 'accept-completed', 0],
  ['FAILED', 'failed', 'annulment', 'accept-failed', 1],
] as const)('%s that the journal refuses', (status, description, table, action, annulments) => {
  it('for two movements: resumed, the journal is read again and the mismatch flagged', async () => {
    const { env } = environment();
    const originId = await start('in progress');
    await writeAnotherMovement(originId);
    env.bank.book.restate(String(originId), [status]);
    const refused = await expectConflict(originId, /refused: it is in doubt whether the last answer/);
    expect(refused.mayDecide.map((one) => one.action)).toEqual(['resume']);
    await expect(decide(originId, action, 'ana')).rejects.toThrow(/may not be decided under/);

    expect(await decide(originId, 'resume', 'ana')).toMatchObject({ state: 'resumed' });
    const { journalConflict } = await sees(originId, ({ attentionReasons }) =>
      attentionReasons.includes('ECHO_MISMATCH'),
    );
    expect(journalConflict).toBeNull();
    // An operator who resumes a mismatch has seen both movements: the bank's next answer counts.
    await decide(originId, 'resume', 'luis');
    expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
      ...{ status, decidedBy: 'bank' },
    });
    expect(await endsOf(originId)).toEqual({ results: 1, annulments });
  });

  it('for what no answer explains: refused again after a resume, two operators may end it', async () => {
    const { env } = environment();
    await env.journal.setSending({ stopped: true, operator: 'ana', reason: 'until the rule is there' });
    const originId = await start(description);
    const lift = await refuseAll(table, originId);
    await env.journal.setSending({ stopped: false, operator: 'ana', reason: 'the rule is there' });
    await env.giro.hintTransfer(originId, { source: 'test', eventId: '1' });
    const refused = await expectConflict(originId, /the rule of the house/);
    expect(refused.mayDecide.map((one) => one.action)).toEqual(['resume']);

    await decide(originId, 'resume', 'ana');
    const again = await sees(originId, mayAccept);
    expect(again.attentionReasons).toEqual(['JOURNAL_CONFLICT']);
    expect(again.mayDecide.map((one) => one.action)).toEqual(expect.arrayContaining(['resume', action]));
    await expectConflict(originId, /the rule of the house/);

    await lift();
    await decide(originId, action, 'ana');
    // Look-ups go on with equal answers: the proposal stays.
    const { polls } = await stateOf(env, originId);
    await sees(originId, (state) => state.polls > polls + 1);
    expect(await decide(originId, action, 'luis')).toMatchObject({ state: 'accepted' });
    expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
      ...{ status, decidedBy: 'operators' },
    });
    expect(await endsOf(originId)).toEqual({ results: 1, annulments });
  });
});
