import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { WorkflowNotFoundError } from '@temporalio/client';
import { stateOf, until } from '../../dev/giro-environment';
import { findTemporalCli } from '../../dev/temporal-cli';
import { TransferNotFoundError } from '../../src/client';
import type { DecisionAction, DecisionAnswer } from '../../src/client';
import type { TransferView } from '../../src/domain/transfer/view';
import { decideUpdate } from '../../src/workflows/messages';
import { testServers } from '../support/servers';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { keepHistory } from './keep-history';

/** Cadences at which a held transfer is asked several times within a test. */
const environment = useEnvironment({
  settings: { pollActiveMs: 300, pollDelayedMs: 300, deciders: ['ana', 'luis', 'eva'] },
  rules: [
    {
      match: { description: 'failed, wrong amount' },
      states: ['FAILED'],
      echo: [{ set: { 'details.amount': 1 } }],
    },
    {
      match: { description: 'completed, wrong amount' },
      states: ['CREATED', 'COMPLETED'],
      echo: [{ set: { 'details.amount': 1 } }],
    },
    {
      match: { description: 'moves on' },
      states: ['CREATED'],
      echo: [{ set: { 'details.amount': 1 } }],
    },
    { match: { description: 'unknown status' }, states: ['CREATED', 'RETURNED'] },
    {
      match: { description: 'vanished' },
      states: ['CREATED', 'COMPLETED'],
      query: [{ fault: 'not-found', times: 'always' }],
    },
  ],
});

async function start(description: string): Promise<number> {
  const originId = nextOriginId();
  await environment().env.giro.startTransfer(orderOf(originId, description));
  return originId;
}

const view = (originId: number, isThere: (state: TransferView) => boolean): Promise<TransferView> =>
  until(() => stateOf(environment().env, originId), isThere);

const flagged = (originId: number, reason: string): Promise<TransferView> =>
  view(originId, ({ attentionReasons }) => (attentionReasons as readonly string[]).includes(reason));

const decide = (originId: number, action: DecisionAction, operator: string): Promise<DecisionAnswer> =>
  environment().env.giro.decide(originId, { action, operator, reason: 'call with the bank' });

/** To this very run, under an id of its own. */
const sendTo = (
  { originId, runId }: { readonly originId: number; readonly runId: string },
  updateId: string,
): Promise<DecisionAnswer> =>
  environment()
    .env.engine.workflow.getHandle(`transfer-${originId}`, runId)
    .executeUpdate(decideUpdate, {
      updateId,
      args: [{ action: 'accept-failed', operator: 'ana', reason: 'call with the bank' }],
    });

const linesOf = async (originId: number) =>
  (await environment().env.journal.transfer(originId))?.proposals ?? [];

/** Of the newest run. */
const keep = (path: string, originId: number): Promise<void> =>
  keepHistory(path, environment().env.transfer(originId), environment().taskQueue);

const annulmentsOf = async (originId: number) =>
  (await environment().env.journal.annulments({ since: null, after: null, limit: 1_000 })).filter(
    (one) => one.originId === originId,
  );

describe('decisions on a server', () => {
  it.concurrent(
    'of two operators at once the second accepts: one FAILED, one annulment, theirs',
    async () => {
      const originId = await start('failed, wrong amount');
      await flagged(originId, 'ECHO_MISMATCH');
      await expect(decide(originId, 'accept-completed', 'ana')).rejects.toThrow(/is not COMPLETED/);
      await expect(decide(originId, 'resend', 'ana')).rejects.toThrow(
        /may not be decided under ECHO_MISMATCH/,
      );
      await expect(decide(originId, 'accept-failed', 'mallory')).rejects.toThrow(
        /operator is not listed in DECIDERS/,
      );
      const answers = await Promise.all([
        decide(originId, 'accept-failed', 'ana'),
        decide(originId, 'accept-failed', 'luis'),
      ]);
      expect(answers.map(({ state }) => state).sort()).toEqual(['accepted', 'proposed']);
      const result = await environment().env.giro.waitForTransfer(originId);
      const [seen] = environment()
        .env.bank.book.movements()
        .filter((one) => one.originId === String(originId));
      expect(result).toMatchObject({
        status: 'FAILED',
        decidedBy: 'operators',
        reason: 'call with the bank',
      });
      expect(result.movementId).toBe(seen?.id);
      const annulments = await annulmentsOf(originId);
      expect(annulments).toMatchObject([
        { decidedBy: 'operators', bankStatus: 'FAILED', id: result.annulmentId },
      ]);
      expect([...annulments[0]!.operators].sort()).toEqual(['ana', 'luis']);
      await expect(decide(originId, 'resume', 'ana')).rejects.toBeInstanceOf(TransferNotFoundError);
    },
  );

  it.concurrent('one operator under two spellings is one', async () => {
    const originId = await start('completed, wrong amount');
    await view(originId, ({ doubtfulAnswer }) => doubtfulAnswer?.status === 'COMPLETED');
    for (const spelling of ['ana', 'Ana', 'ANA']) {
      expect(await decide(originId, 'accept-completed', spelling)).toMatchObject({ state: 'proposed' });
    }
    expect(await decide(originId, 'withdraw', 'luis')).toEqual({ state: 'withdrawn', by: ['luis'] });
    expect(await linesOf(originId)).toEqual([]);
    expect(await decide(originId, 'accept-completed', 'luis')).toEqual({ state: 'proposed', by: ['luis'] });
    expect(await decide(originId, 'accept-completed', 'ana')).toEqual({
      state: 'accepted',
      by: ['luis', 'ana'],
    });
    expect(await environment().env.giro.waitForTransfer(originId)).toMatchObject({
      status: 'COMPLETED',
      decidedBy: 'operators',
      annulmentId: null,
    });
    await keep('proposal-withdrawn', originId);
  });

  it.concurrent('a new status from the bank in between: the first proposal is void', async () => {
    // The test moves the bank on, so the speed of the machine makes no difference.
    const { book } = environment().env.bank;
    const originId = await start('moves on');
    const { doubtfulAnswer } = await flagged(originId, 'ECHO_MISMATCH');
    expect(await decide(originId, 'accept-not-taken', 'ana')).toMatchObject({ state: 'proposed' });
    book.restate(String(originId), ['IN_PROGRESS']);
    await view(originId, (state) => state.doubtfulAnswer?.status !== doubtfulAnswer?.status);
    await view(originId, ({ proposals }) => proposals.length === 0);
    expect(await decide(originId, 'accept-not-taken', 'luis')).toEqual({ state: 'proposed', by: ['luis'] });
    book.restate(String(originId), ['DELAYED']);
    await view(originId, (state) => state.doubtfulAnswer?.status === 'DELAYED');
    expect(await decide(originId, 'accept-not-taken', 'eva')).toMatchObject({ state: 'proposed' });
    expect(await decide(originId, 'accept-not-taken', 'ana')).toEqual({
      state: 'accepted',
      by: ['eva', 'ana'],
    });
    expect(await environment().env.giro.waitForTransfer(originId)).toMatchObject({
      status: 'REFUSED',
      decidedBy: 'operators',
      movementId: null,
    });
    await keep('proposal-voided', originId);
  });

  it.concurrent(
    'an unknown status accepted as FAILED: one annulment, with that status as the bank’s',
    async () => {
      const originId = await start('unknown status');
      await flagged(originId, 'STATUS_UNKNOWN');
      await decide(originId, 'accept-failed', 'ana');
      await decide(originId, 'accept-failed', 'luis');
      expect(await environment().env.giro.waitForTransfer(originId)).toMatchObject({ status: 'FAILED' });
      expect(await annulmentsOf(originId)).toMatchObject([
        { decidedBy: 'operators', operators: ['ana', 'luis'], bankStatus: 'RETURNED' },
      ]);
    },
  );

  it.concurrent('vanished after the answer of create: two operators have it sent once more', async () => {
    const { env } = environment();
    const originId = await start('vanished');
    await flagged(originId, 'VANISHED');
    await decide(originId, 'resend', 'ana');
    expect((await stateOf(env, originId)).sends).toBe(1);
    env.bank.book.restate(String(originId), ['COMPLETED']);
    expect(await decide(originId, 'resend', 'luis')).toMatchObject({ state: 'accepted' });
    expect(await env.giro.waitForTransfer(originId)).toMatchObject({
      status: 'COMPLETED',
      decidedBy: 'bank',
    });
    expect((await stateOf(env, originId)).sends).toBe(2);
    await keep('resent-by-operators', originId);
    expect(env.bank.book.movements().filter((one) => one.originId === String(originId))).toHaveLength(1);
  });

  it.concurrent('a proposal outlasts continue-as-new; the Temporal CLI decides with plain JSON', async () => {
    const originId = await start('failed, wrong amount');
    await flagged(originId, 'ECHO_MISMATCH');
    const { runId } = await environment().env.transfer(originId).describe();
    const proposed = sendTo({ originId, runId }, 'one');
    expect(await proposed).toEqual({ state: 'proposed', by: ['ana'] });
    await until(
      () => environment().env.transfer(originId).describe(),
      (now) => now.runId !== runId,
    );
    expect((await stateOf(environment().env, originId)).proposals).toMatchObject([
      { action: 'accept-failed', operator: 'ana', reason: 'call with the bank', bankStatus: 'FAILED' },
    ]);
    // A repeat of the same decision relies on this: the ended run returns its outcome, and takes up nothing new.
    expect(await sendTo({ originId, runId }, 'one')).toEqual(await proposed);
    await expect(sendTo({ originId, runId }, 'two')).rejects.toBeInstanceOf(WorkflowNotFoundError);
    expect(await decideByCli(originId, { action: 'resend', operator: 'luis', reason: 'x' })).toMatch(
      /may not be decided under ECHO_MISMATCH/,
    );
    expect(
      await decideByCli(originId, { action: 'accept-failed', operator: 'luis', reason: 'letter 17' }),
    ).toMatch(/"state": *"accepted"/);
    expect(await environment().env.giro.waitForTransfer(originId)).toMatchObject({
      status: 'FAILED',
      reason: 'call with the bank; letter 17',
    });
    await keep('proposal-carried', originId);
    expect(await annulmentsOf(originId)).toHaveLength(1);
  });

  it('a proposal outlasts the worker it was made to', async () => {
    const originId = await start('completed, wrong amount');
    await view(originId, ({ doubtfulAnswer }) => doubtfulAnswer?.status === 'COMPLETED');
    await decide(originId, 'accept-completed', 'ana');
    await environment().worker.stop();
    const second = decide(originId, 'accept-completed', 'luis');
    environment().worker = await environment().env.startWorker();
    expect(await second).toEqual({ state: 'accepted', by: ['ana', 'luis'] });
    expect(await environment().env.giro.waitForTransfer(originId)).toMatchObject({ status: 'COMPLETED' });
  });
});

/** What the Temporal CLI prints, refused or not. */
async function decideByCli(originId: number, decision: Readonly<Record<string, string>>): Promise<string> {
  const cli = await findTemporalCli({ env: process.env, log: () => undefined });
  const args = ['workflow', 'update', 'execute', '--address', testServers().temporalAddress];
  args.push('--workflow-id', `transfer-${originId}`, '--name', 'decide', '--input', JSON.stringify(decision));
  try {
    const { stdout, stderr } = await promisify(execFile)(cli, [...args, '--output', 'json']);
    return stdout + stderr;
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  }
}
