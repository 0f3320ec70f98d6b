import { Client } from '@temporalio/client';
import type { DataConverter, Payload } from '@temporalio/common';
import { stateOf, until } from '../../dev/giro-environment';
import { dataConverterOf } from '../../src/codec/data-converter';
import { decryptPayload } from '../../src/codec/payload-codec';
import { ForeignResultError, GiroClient } from '../../src/client';
import { endOfReconciliation, startReconciliation } from '../../src/engine/reconciliation-runs';
import { reconciliationWorkflowId, toSecond } from '../../src/reconciliation/run-window';
import { freshKeyRing } from '../codec/key-rings';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/**
 * Without a key, a writer of the engine's store can replace one workflow's sealed payload by another's. It opens
 * there, because all are sealed for the namespace; so Giro checks the content of each.
 */
const ring = freshKeyRing('k1');
const environment = useEnvironment({
  quickTimers: true,
  keyRing: ring,
  settings: { pollActiveMs: 1_000 },
  verifications: { pollMs: 500, pollMaxMs: 500 },
  rules: [
    { match: { description: 'completes' }, states: ['CREATED', 'COMPLETED'] },
    { match: { description: 'fails' }, states: ['CREATED', 'FAILED'] },
    { match: { description: 'waits' }, states: ['CREATED', 'DELAYED'] },
    {
      match: { description: 'found late' },
      create: ['lost-answer'],
      query: ['not-found'],
      states: ['CREATED', 'DELAYED'],
    },
    {
      kind: 'verification',
      match: { requestId: { prefix: 'approved' } },
      statuses: ['Pendiente', 'Aprobado'],
    },
    {
      kind: 'verification',
      match: { requestId: { prefix: 'refused' } },
      statuses: ['Pendiente', 'Rechazado'],
    },
    { match: { description: 'strange word' }, states: ['CREATED', 'RETURNED'] },
  ],
});

const converter = (): DataConverter => {
  const found = dataConverterOf(ring, 'default');
  if (found === undefined) throw new Error('the key ring gave no converter');
  return found;
};

/** Encodes what `replace` returns for a payload, if anything; decodes as usual. */
function putting(replace: (clear: Payload, sealed: Payload) => Payload | null): DataConverter {
  const [codec] = converter().payloadCodecs ?? [];
  if (codec === undefined) throw new Error('the key ring gave no codec');
  const encode = async (payloads: Payload[]) => {
    const sealed = await codec.encode(payloads);
    return sealed.map((payload, i) => replace(payloads[i] ?? {}, payload) ?? payload);
  };
  return { ...converter(), payloadCodecs: [{ ...codec, encode }] };
}

const textOf = (clear: Payload): string => Buffer.from(clear.data ?? []).toString('utf8');

/** Reads what is there as if `sealed` were in its place. */
function readingInPlace(sealed: Payload): DataConverter {
  const [codec] = converter().payloadCodecs ?? [];
  if (codec === undefined) throw new Error('the key ring gave no codec');
  return {
    ...converter(),
    payloadCodecs: [{ ...codec, decode: (all) => codec.decode(all.map(() => sealed)) }],
  };
}

/** Every payload of a run as it lies in the engine. */
async function sealedOf(workflowId: string): Promise<Payload[]> {
  const found: Payload[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
    if ('metadata' in value && 'data' in value) found.push(value as Payload);
    else for (const part of Object.values(value)) walk(part);
  };
  walk((await environment().env.engine.workflow.getHandle(workflowId).fetchHistory()).events);
  return found;
}

async function sealedThat(run: number | string, says: (text: string) => boolean): Promise<Payload> {
  const all = await sealedOf(typeof run === 'number' ? `transfer-${run}` : run);
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
  await environment().env.skipping.startTransfer(orderOf(originId, description));
  await environment().env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
  return originId;
}

/** The run's status once a task of it has failed, or it has ended, and whether one has failed. */
async function pausedOrEnded(workflowId: string): Promise<[string, boolean]> {
  const handle = environment().env.engine.workflow.getHandle(workflowId);
  const { name, failed } = await until(
    async () => {
      const { events } = await handle.fetchHistory();
      const { status } = await handle.describe();
      const failed = events?.some((event) => event.workflowTaskFailedEventAttributes) ?? false;
      return { name: status.name, failed };
    },
    (seen) => seen.failed || seen.name !== 'RUNNING',
  );
  return [name, failed];
}

/** With a worker that puts payloads in the place of others. */
async function withWorker(dataConverter: DataConverter, act: () => Promise<void>): Promise<void> {
  const current = environment();
  await current.worker.stop();
  current.worker = await current.env.startWorker({ dataConverter });
  try {
    await act();
  } finally {
    await current.worker.stop();
    current.worker = await current.env.startWorker();
  }
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
    expect(await pausedOrEnded(`transfer-${originId}`)).toEqual(['RUNNING', true]);
    expect(creates(originId)).toBe(0);
  } finally {
    await current.worker.stop();
    current.worker = await env.startWorker();
    await env.transfer(originId).terminate('its history was altered');
  }
});

it('the sealed decision about one transfer is none about another', async () => {
  const { env } = environment();
  const flagged = async (): Promise<number> => {
    const originId = nextOriginId();
    await env.giro.startTransfer(orderOf(originId, 'strange word'));
    await until(
      () => stateOf(env, originId),
      ({ attentionReasons }) => attentionReasons.length > 0,
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
});

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

describe('a sealed result in the place of another’s', () => {
  const reader = (sealed: Payload) =>
    new GiroClient({
      client: new Client({
        connection: environment().env.engine.connection,
        dataConverter: readingInPlace(sealed),
      }),
    });
  /** Of the run itself: an object with these fields at its top. */
  const hasFields =
    (...fields: readonly string[]) =>
    (text: string) => {
      if (!text.startsWith('{')) return false;
      const json = JSON.parse(text) as object;
      return fields.every((field) => field in json);
    };

  it.each([
    ['fails', 'completes'],
    ['completes', 'completes'],
  ])('is none of a transfer that %s', async (description, other) => {
    const [originId, theirs] = [await ended(description), await ended(other)];
    const giro = reader(await sealedThat(theirs, hasFields('originId', 'status', 'decidedBy')));
    // The payload opens; the client refuses its content.
    expect(await giro.waitForTransfer(theirs)).toMatchObject({ originId: theirs });
    for (const waiting of [{}, { timeoutMs: 10_000 }])
      await expect(giro.waitForTransfer(originId, waiting)).rejects.toBeInstanceOf(ForeignResultError);
  });

  it('is none of a verification', async () => {
    const { giro, skipping } = environment().env;
    const ids = ['approved', 'refused'].map((word) => `${word}-${nextOriginId()}`);
    for (const requestId of ids) await skipping.trackVerification(requestId);
    const outcomes = await Promise.all(
      ids.map((requestId) => giro.waitForVerification(requestId, { timeoutMs: 300_000 })),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['approved', 'rejected']);
    const [approved = '', refused = ''] = ids;
    const approval = await sealedThat(`kyc-${approved}`, hasFields('requestId', 'outcome', 'status'));
    const swapped = reader(approval);
    expect(await swapped.waitForVerification(approved)).toMatchObject({ outcome: 'approved' });
    await expect(swapped.waitForVerification(refused)).rejects.toBeInstanceOf(ForeignResultError);
  });
});

it('the outcome of one verification in the place of another’s pauses its run', async () => {
  const { giro, engine } = environment().env;
  const [theirs, requestId] = [`approved-${nextOriginId()}`, `refused-${nextOriginId()}`];
  await giro.trackVerification(theirs);
  await giro.waitForVerification(theirs, { timeoutMs: 300_000 });
  const approval = await sealedThat(`kyc-${theirs}`, (text) => text.includes('"kind":"outcome"'));
  const swapping = putting((clear) => (textOf(clear).includes('"kind":"outcome"') ? approval : null));
  await withWorker(swapping, async () => {
    await giro.trackVerification(requestId);
    expect(await pausedOrEnded(`kyc-${requestId}`)).toEqual(['RUNNING', true]);
  });
  await engine.workflow.getHandle(`kyc-${requestId}`).terminate('its history was altered');
});

it('the report of one reconciliation in the place of another’s pauses its run', async () => {
  const { engine } = environment().env;
  const { taskQueue } = environment();
  const [theirs, asOf] = [1, 2].map((ago) => toSecond(Date.now() - ago * 86_400_000)) as [string, string];
  const reconcile = (moment: string) => startReconciliation(engine, taskQueue, { asOf: moment });
  await reconcile(theirs);
  expect(await endOfReconciliation(engine, theirs)).toBeNull();
  const report = await sealedThat(reconciliationWorkflowId(theirs), (text) =>
    text.includes('"breaksOpened"'),
  );
  const swapped = new Client({ connection: engine.connection, dataConverter: readingInPlace(report) });
  const workflowId = reconciliationWorkflowId(asOf);
  await withWorker(
    putting((clear) => (textOf(clear).includes('"breaksOpened"') ? report : null)),
    async () => {
      await reconcile(asOf);
      expect(await pausedOrEnded(workflowId)).toEqual(['RUNNING', true]);
    },
  );
  await engine.workflow.getHandle(workflowId).terminate('its history was altered');
  const other = toSecond(Date.now() - 3 * 86_400_000);
  await reconcile(other);
  expect(await endOfReconciliation(engine, other)).toBeNull();
  await expect(endOfReconciliation(swapped, other)).rejects.toBeInstanceOf(ForeignResultError);
});

it('a not-found of a transfer in the place of all its later answers has nothing sent again', async () => {
  const { env } = environment();
  const originId = nextOriginId();
  let notFound: Payload | null = null;
  let swapped = 0;
  const swapping = putting((clear, sealed) => {
    const text = textOf(clear);
    if (!text.includes('"kind":"answer"')) return null;
    if (text.includes('"kind":"not-found"')) notFound = sealed;
    if (notFound === null || !/"status":"(CREATED|DELAYED)"/.test(text)) return null;
    swapped += 1;
    return notFound;
  });
  await withWorker(swapping, async () => {
    await env.giro.startTransfer(orderOf(originId, 'found late'));
    const state = await until(
      () => stateOf(env, originId),
      ({ attentionReasons }) => attentionReasons.length > 0,
    );
    expect(state).toMatchObject({ phase: 'held', originId });
    expect(swapped).toBeGreaterThanOrEqual(11);
    // The journal knows of a look-up that found it.
    expect(creates(originId)).toBe(1);
    expect(await env.journal.transfer(originId)).toMatchObject({ result: null, annulment: null });
  });
});
