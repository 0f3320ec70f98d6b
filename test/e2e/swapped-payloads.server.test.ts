import { Client } from '@temporalio/client';
import type { DataConverter, Payload } from '@temporalio/common';
import { stateOf, until } from '../../dev/giro-environment';
import { dataConverterOf } from '../../src/codec/data-converter';
import { decryptPayload } from '../../src/codec/payload-codec';
import { freshKeyRing } from '../codec/key-rings';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/**
 * What whoever writes the engine's store can do without a key: put a sealed payload of one workflow in the place of
 * another's. Each opens there, because all are sealed for the namespace; so each is judged by what it says.
 */
const ring = freshKeyRing('k1');
const environment = useEnvironment({
  keyRing: ring,
  settings: { pollActiveMs: 1_000 },
  rules: [
    { match: { description: 'completes' }, states: ['CREATED', 'COMPLETED'] },
    { match: { description: 'fails' }, states: ['CREATED', 'FAILED'] },
    { match: { description: 'waits' }, states: ['CREATED', 'DELAYED'] },
    { match: { description: 'strange word' }, states: ['CREATED', 'RETURNED'] },
  ],
});

const converter = (): DataConverter => {
  const found = dataConverterOf(ring, 'default');
  if (found === undefined) throw new Error('a ring makes a converter');
  return found;
};

/** Hands out what is put in for each payload, and opens what is sealed as ever. */
function putting(replace: (clear: Payload) => Payload | null): DataConverter {
  const [codec] = converter().payloadCodecs ?? [];
  if (codec === undefined) throw new Error('a ring makes a codec');
  const encode = async (payloads: Payload[]) => {
    const sealed = await codec.encode(payloads);
    return sealed.map((payload, i) => replace(payloads[i] ?? {}) ?? payload);
  };
  return { ...converter(), payloadCodecs: [{ ...codec, encode }] };
}

const textOf = (clear: Payload): string => Buffer.from(clear.data ?? []).toString('utf8');

/** Every payload of a run as it lies in the engine. */
async function sealedOf(originId: number): Promise<Payload[]> {
  const found: Payload[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
    if ('metadata' in value && 'data' in value) found.push(value as Payload);
    else for (const part of Object.values(value)) walk(part);
  };
  walk((await environment().env.transfer(originId).fetchHistory()).events);
  return found;
}

async function sealedThat(originId: number, says: (text: string) => boolean): Promise<Payload> {
  const all = await sealedOf(originId);
  const found = all.find((payload) => says(textOf(decryptPayload(ring, 'default', payload))));
  if (found === undefined) throw new Error(`none of ${all.length} payloads says so`);
  return found;
}

const creates = (originId: number): number =>
  environment()
    .env.bank.book.requests(String(originId))
    .filter(({ service }) => service === 'transfer-request').length;

async function ended(description: string): Promise<number> {
  const originId = nextOriginId();
  await environment().env.giro.startTransfer(orderOf(originId, description));
  await environment().env.giro.waitForTransfer(originId, { timeoutMs: 60_000 });
  return originId;
}

it('the sealed order of one transfer under the id of another is no order of it', async () => {
  const { env, taskQueue } = environment();
  const theirs = await ended('completes');
  const order = await sealedThat(theirs, (text) => text.includes('"from"'));
  const originId = nextOriginId();
  const client = new Client({
    connection: env.engine.connection,
    dataConverter: putting((clear) => (textOf(clear).includes('"from"') ? order : null)),
  });
  await client.workflow.start('transfer', {
    ...{ workflowId: `transfer-${originId}`, taskQueue, args: [orderOf(originId, 'completes')] },
  });
  const handle = env.engine.workflow.getHandle(`transfer-${originId}`);
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'InvalidTransferOrder' } });
  expect([creates(originId), creates(theirs)]).toEqual([0, 1]);
  expect(await env.journal.transfer(originId)).toBeNull();
});

it.each([
  ['completes', 'COMPLETED'],
  ['fails', 'FAILED'],
])(
  'the look-up of a transfer that %s in the place of another’s ends nothing: the journal has no such answer',
  async (description, status) => {
    const current = environment();
    const { env } = current;
    const theirs = await ended(description);
    const answer = await sealedThat(
      theirs,
      (text) => text.includes('"kind":"answer"') && text.includes(`"${status}"`),
    );
    await current.worker.stop();
    let swapped = 0;
    const swapping = putting((clear) => {
      const isMeant = textOf(clear).includes('"kind":"answer"') && textOf(clear).includes('"DELAYED"');
      if (isMeant) swapped += 1;
      return isMeant ? answer : null;
    });
    current.worker = await env.startWorker({ dataConverter: swapping });
    const originId = nextOriginId();
    try {
      await env.giro.startTransfer(orderOf(originId, 'waits'));
      const state = await until(
        () => stateOf(env, originId),
        ({ attentionReasons }) => attentionReasons.length > 0,
        60_000,
      );
      expect(state).toMatchObject({ phase: 'held', originId });
      expect(swapped).toBeGreaterThan(0);
      expect(await env.journal.transfer(originId)).toMatchObject({ result: null, annulment: null });
      expect(creates(originId)).toBe(1);
    } finally {
      await current.worker.stop();
      current.worker = await env.startWorker();
    }
  },
  120_000,
);

it('the recorded result of one transfer in the place of another’s receipt pauses its run, and nothing is sent', async () => {
  const current = environment();
  const { env, taskQueue } = current;
  const theirs = await ended('completes');
  // A run more, which the journal answers with the recorded result.
  await env.engine.workflow.execute('transfer', {
    ...{ workflowId: `transfer-${theirs}`, taskQueue, args: [orderOf(theirs, 'completes')] },
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  const answer = await sealedThat(theirs, (text) => text.includes('"kind":"ended"'));
  await current.worker.stop();
  const swapping = putting((clear) => (textOf(clear).includes('"kind":"open"') ? answer : null));
  current.worker = await env.startWorker({ dataConverter: swapping });
  const originId = nextOriginId();
  try {
    await env.giro.startTransfer(orderOf(originId, 'completes'));
    const { status, failed } = await until(
      async () => {
        const { events } = await env.transfer(originId).fetchHistory();
        const { status } = await env.transfer(originId).describe();
        return { status, failed: events?.some((event) => event.workflowTaskFailedEventAttributes) ?? false };
      },
      (seen) => seen.failed || seen.status.name !== 'RUNNING',
      60_000,
    );
    expect([status.name, failed]).toEqual(['RUNNING', true]);
    expect(creates(originId)).toBe(0);
  } finally {
    await current.worker.stop();
    current.worker = await env.startWorker();
    await env.transfer(originId).terminate('its history was altered');
  }
}, 120_000);

it('the sealed decision about one transfer is none about another', async () => {
  const { env } = environment();
  const flagged = async (): Promise<number> => {
    const originId = nextOriginId();
    await env.giro.startTransfer(orderOf(originId, 'strange word'));
    await until(
      () => stateOf(env, originId),
      ({ attentionReasons }) => attentionReasons.length > 0,
      60_000,
    );
    return originId;
  };
  const [theirs, originId] = [await flagged(), await flagged()];
  await env.giro.decide(theirs, { action: 'accept-completed', operator: 'ana', reason: 'ticket 1' });
  const decision = await sealedThat(theirs, (text) => text.includes('"action":"accept-completed"'));
  const client = new Client({ connection: env.engine.connection, dataConverter: putting(() => decision) });
  const update = client.workflow
    .getHandle(`transfer-${originId}`)
    .executeUpdate('decide', { args: [{ action: 'resume', operator: 'eva', reason: 'ticket 2' }] });
  await expect(update).rejects.toMatchObject({
    cause: {
      type: 'DecisionRefused',
      message: expect.stringMatching(/originId is that of another/) as string,
    },
  });
  expect((await stateOf(env, originId)).proposals).toEqual([]);
  expect((await stateOf(env, theirs)).proposals).toHaveLength(1);
}, 120_000);

it('the sealed hint of one transfer is a hint for another, and nothing else', async () => {
  const { env } = environment();
  const originId = nextOriginId();
  await env.giro.startTransfer(orderOf(originId, 'waits'));
  await until(
    () => stateOf(env, originId),
    ({ bankStatus }) => bankStatus === 'DELAYED',
  );
  const before = await stateOf(env, originId);
  const theirs = await ended('completes');
  const order = await sealedThat(theirs, (text) => text.includes('"from"'));
  const client = new Client({ connection: env.engine.connection, dataConverter: putting(() => order) });
  await client.workflow
    .getHandle(`transfer-${originId}`)
    .signal('movementHint', { source: 'x', eventId: '1' });
  const after = await stateOf(env, originId);
  expect(after).toMatchObject({ bankStatus: 'DELAYED', attentionReasons: [], polls: before.polls });
  expect(after.orderSha256).toBe(before.orderSha256);
});
