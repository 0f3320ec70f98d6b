import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import type { OtherWorker } from '../../dev/giro-environment';
import { GiroClient } from '../../src/client';
import { START_WITHIN_MS } from '../../src/client/lost-references';
import { JournalUnavailable } from '../../src/journal/errors';
import { proofOf } from '../order-proofs/keys';
import { quietRuntime } from '../support/quiet-runtime';
import { auditRequests, creates } from './audit';
import { claimedNumbers } from './claimed-requests';
import { corrupt } from './corrupt';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/**
 * PostgreSQL fails over to a standby that lacks its last commits, between a create and its record: the claim is gone
 * and the step is tried again.
 */

quietRuntime({ core: 'ERROR' });

const environment = useEnvironment({
  settings: { pollActiveMs: 300, createTimeoutMs: 2_000 },
  rules: [{ match: { description: 'taken' }, states: ['IN_PROGRESS', 'COMPLETED'] }],
});

type Parts = Parameters<NonNullable<OtherWorker['change']>>[0];

let timeline = 1;

/** Another timeline, on which the last claims are not. */
async function failOver(originId: number): Promise<void> {
  const { databaseUrl } = environment();
  await corrupt(databaseUrl, 'request', 'delete from giro.request where origin_id = $1', originId);
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    await owner.query(
      `create or replace function giro.journal_id() returns text language sql volatile
       as $$ select '7/0000000${(timeline += 1)}' $$`,
    );
  } finally {
    await owner.end();
  }
}

type Moment = 'claimed' | 'sent' | 'vouched' | 'reset';

/** As an operator does who is tired of waiting: the next try of the activity counts as the first. */
async function resetCreate(originId: number): Promise<void> {
  const { env } = environment();
  const { engine } = env;
  await until(
    () => env.transfer(originId).describe(),
    ({ raw }) => raw.pendingActivities?.some(({ attempt }) => attempt === 2) ?? false,
  );
  await engine.workflowService.resetActivity({
    namespace: engine.options.namespace,
    execution: { workflowId: `transfer-${originId}` },
    type: 'createTransfer',
  });
}

/** Fails over once, at the moment that `at` names. */
function failingOver(originId: number, at: Moment): OtherWorker['change'] {
  let isOver = false;
  let hasFailed = false;
  const once = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    await failOver(originId);
    if (at === 'reset') void resetCreate(originId);
    throw new JournalUnavailable('for the test');
  };
  return (parts: Parts): Parts => ({
    ...parts,
    journal: {
      ...parts.journal,
      claimRequest: async (claim) => {
        const claimed = await parts.journal.claimRequest(claim);
        if (at === 'claimed' && claim.originId === originId) await once();
        return claimed;
      },
      recordAnswer: async (record) => {
        if ((at === 'sent' || at === 'reset') && record.originId === originId) await once();
        // The claim of the first try is still there when the second try asks.
        if (at === 'vouched' && record.originId === originId && !hasFailed) {
          hasFailed = true;
          throw new JournalUnavailable('for the test');
        }
        return parts.journal.recordAnswer(record);
      },
      vouchForCreate: async (retry) => {
        const isVouched = await parts.journal.vouchForCreate(retry);
        if (at === 'vouched' && retry.originId === originId && !isOver) {
          isOver = true;
          await failOver(originId);
        }
        return isVouched;
      },
    },
  });
}

async function startedOn(description: string, at: Moment): Promise<number> {
  const test = environment();
  const originId = nextOriginId();
  await test.worker.stop();
  const change = failingOver(originId, at);
  test.worker = await test.env.startWorker(change === undefined ? {} : { change });
  await test.env.giro.startTransfer(orderOf(originId, description));
  return originId;
}

test.each([
  ['before its answer is recorded', 'sent'],
  ['after the old journal has vouched for the next try', 'vouched'],
  ['before its answer is recorded, and the activity is reset', 'reset'],
] as const)('a create that the bank took is not sent again if the claim is lost %s', async (_when, at) => {
  const { env, databaseUrl } = environment();
  const originId = await startedOn('taken', at);
  expect((await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).status).toBe('COMPLETED');
  expect(creates(auditRequests(env, originId))).toHaveLength(1);
  expect((await claimedNumbers(databaseUrl, originId)).map(({ kind }) => kind)).not.toContain('create');
  expect(await env.journal.transfer(originId)).toMatchObject({ sends: 1, attempts: [] });
});

test('one that never left is not sent either, because nobody knows: it is looked up until people decide', async () => {
  const { env } = environment();
  const originId = await startedOn('taken', 'claimed');
  const view = await until(
    () => stateOf(env, originId),
    ({ attentionReasons }) => attentionReasons.length > 0,
  );
  expect(view).toMatchObject({ phase: 'held', attentionReasons: ['OUTCOME_UNKNOWN'], sends: 1 });
  expect(creates(auditRequests(env, originId))).toEqual([]);
  await env.giro.cancelTransfer(originId);
  await until(
    () => stateOf(env, originId),
    ({ cancelRequested }) => cancelRequested,
  );
  expect((await env.journal.transfer(originId))?.result).toBeNull();
});

test('an order is not paid again if it is repeated by a reference whose binding was lost', async () => {
  const { env, databaseUrl } = environment();
  const { originId: _, ...withoutId } = orderOf(0, 'taken');
  const order = { reference: randomUUID(), ...withoutId };
  const { originId } = await env.giro.startTransfer(order);
  await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
  const other = await env.giro.startTransfer({ reference: randomUUID(), ...withoutId });
  await corrupt(databaseUrl, 'reference', 'delete from giro.reference where origin_id >= $1', originId);
  await failOver(originId);

  expect(await env.giro.startTransfer(order)).toMatchObject({ originId, started: false });
  expect(creates(auditRequests(env, originId))).toHaveLength(1);
  const later = await env.giro.startTransfer({ reference: randomUUID(), ...withoutId });
  expect([originId, other.originId]).not.toContain(later.originId);
});

test('a start that comes long after its reference was bound confirms the binding first', async () => {
  const { env, databaseUrl, taskQueue } = environment();
  const { originId: _, ...withoutId } = orderOf(0, 'taken');
  const order = { reference: randomUUID(), ...withoutId };
  let signedIds: number[] = [];
  const slow = new GiroClient({
    client: env.engine,
    taskQueue,
    journal: env.journal,
    signOrder: async (signed) => {
      signedIds = [...signedIds, signed.originId];
      if (signedIds.length === 1) {
        await corrupt(
          databaseUrl,
          'reference',
          'delete from giro.reference where origin_id = $1',
          signed.originId,
        );
        await failOver(signed.originId);
        await setTimeout(START_WITHIN_MS + 1_000);
      }
      return proofOf(signed);
    },
  });
  await expect(slow.startTransfer(order)).rejects.toThrow(/lost the binding/);
  const { originId } = await slow.startTransfer(order);
  expect(signedIds[0]).not.toBe(originId);
  expect((await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).status).toBe('COMPLETED');
  expect(signedIds.map((id) => creates(auditRequests(env, id)).length)).toEqual([0, 1]);
});
