import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload, SerializationContext } from '@temporalio/common';
import { dataConverterOf, workerDataConverter } from '../../src/codec/data-converter';
import type { UnreadablePayload } from '../../src/codec/data-converter';
import { interceptors } from '../../src/workflows/unreadable-hints';
import { freshKeyRing } from './key-rings';

const ring = freshKeyRing('k1');
const WORKFLOW: SerializationContext = { type: 'workflow', namespace: 'default', workflowId: 'transfer-1' };
const ACTIVITY: SerializationContext = { type: 'activity', namespace: 'default', isLocal: false };

function codecOf(told: UnreadablePayload[] = []) {
  const [codec] =
    workerDataConverter(dataConverterOf(ring, 'default')!, (one) => told.push(one)).payloadCodecs ?? [];
  return codec!;
}

const sealed = async (keyId: string, value: unknown): Promise<Payload> => {
  const [codec] = dataConverterOf(keyId === 'k1' ? ring : freshKeyRing(keyId), 'default')!.payloadCodecs!;
  return (await codec!.encode([defaultPayloadConverter.toPayload(value)]))[0]!;
};

test('of several payloads of a workflow only the one that does not open stays closed', async () => {
  const told: UnreadablePayload[] = [];
  const [one, other] = await codecOf(told).decode(
    [await sealed('k9', 'personal'), await sealed('k1', 'good')],
    WORKFLOW,
  );
  expect(defaultPayloadConverter.fromPayload(other!)).toBe('good');
  expect(() => defaultPayloadConverter.fromPayload(one!)).toThrow(
    'Unknown encoding: binary/encrypted: no key k9 in the key ring: add it to CODEC_KEYS_FILE',
  );
  expect(told).toEqual([
    {
      workflowId: 'transfer-1',
      reason: 'unknown-key',
      message: 'no key k9 in the key ring: add it to CODEC_KEYS_FILE',
    },
  ]);
});

test.each([
  ['an activity', ACTIVITY],
  ['nobody', undefined],
])('what comes to %s throws as ever', async (_, context) => {
  const told: UnreadablePayload[] = [];
  await expect(codecOf(told).decode([await sealed('k9', 'x')], context)).rejects.toThrow('no key k9');
  expect(told).toEqual([]);
});

describe('in the workflow', () => {
  type Job = Readonly<Record<string, { input?: Payload[]; runValidator?: boolean; signalName?: string }>>;
  const activate = (...jobs: Job[]): readonly Job[] => {
    let seen: readonly Job[] = [];
    interceptors().internals?.[0]?.activate?.({ activation: { jobs }, batchIndex: 0 }, (input) => {
      seen = input.activation.jobs as unknown as readonly Job[];
    });
    return seen;
  };
  const closed = async () => codecOf().decode([await sealed('k9', { eventId: '1' })], WORKFLOW);

  test.each(['movementHint', 'verificationHint'])(
    '%s reaches nobody with a content, whether it opens, stays closed or is no JSON',
    async (name) => {
      const clear = defaultPayloadConverter.toPayload({ eventId: '1' });
      const broken = { ...clear, data: Buffer.from('{') };
      const foreign = { metadata: { encoding: Buffer.from('binary/protobuf') }, data: Buffer.from('x') };
      // As a worker with another key ring leaves it, and as one without any finds it.
      const sealedOnes = [...(await closed()), await sealed('k1', { eventId: '1' })];
      for (const one of [clear, broken, foreign, ...sealedOnes]) {
        expect(activate({ signalWorkflow: { signalName: name, input: [one] } })).toEqual([
          { signalWorkflow: { signalName: name, input: [] } },
        ]);
      }
    },
  );

  test('another signal and a new update are handed on as they are', async () => {
    const input = await closed();
    const jobs: Job[] = [
      { signalWorkflow: { signalName: 'decideSomething', input } },
      { doUpdate: { runValidator: true, input } },
    ];
    expect(activate(...structuredClone(jobs))).toEqual(structuredClone(jobs));
  });

  test('an update that was accepted before fails the task, which is tried again', async () => {
    const input = await closed();
    expect(() => activate({ doUpdate: { runValidator: false, input } })).toThrow(
      'an accepted update is binary/encrypted: no key k9 in the key ring: add it to CODEC_KEYS_FILE',
    );
  });
});
