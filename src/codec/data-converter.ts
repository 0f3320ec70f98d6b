import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import type { KeyRing } from './key-ring';
import { createPayloadCodec, ENCRYPTED_ENCODING } from './payload-codec';
import { SealError } from './seal';

const FAILURE_CONVERTER_PATH = require.resolve('./failure-converter');

/** The data converter of clients and workers of an encrypted namespace; null ring: the SDK's default, in clear. */
export function dataConverterOf(ring: KeyRing | null, namespace: string): DataConverter | undefined {
  return ring === null
    ? undefined
    : { payloadCodecs: [createPayloadCodec(ring, namespace)], failureConverterPath: FAILURE_CONVERTER_PATH };
}

/** A payload of a workflow task that did not open. */
export interface UnreadablePayload {
  readonly workflowId: string;
  readonly reason: SealError['why'];
  /** Names key ids, never keys or content. */
  readonly message: string;
}

/**
 * For workers. The SDK opens all payloads of a task together, so one error would fail the task, even because of a hint
 * whose content nobody reads. So a workflow receives an unreadable payload without content, in the encoding
 * `binary/encrypted: <reason>`. The effect depends on the payload:
 *
 * - An argument of the start fails the task, with `Unknown encoding: binary/encrypted: <reason>`.
 * - A new update is refused, with the same error.
 * - An update that was already accepted fails the task, so the run pauses (`workflows/unreadable-hints.ts`).
 * - A hint's content and a scheduled run's previous result are removed unread (`workflows/unreadable-hints.ts`).
 *
 * Any other payload, such as an activity's result, throws `SealError`.
 */
export function workerDataConverter(
  converter: DataConverter,
  onUnreadable: (found: UnreadablePayload) => void,
): DataConverter {
  const tolerant = (codec: PayloadCodec): PayloadCodec => ({
    encode: (payloads, context) => codec.encode(payloads, context),
    decode: (payloads, context) =>
      context?.type !== 'workflow'
        ? codec.decode(payloads, context)
        : Promise.all(
            payloads.map(async (payload) => {
              try {
                const [decoded] = await codec.decode([payload], context);
                return decoded ?? payload;
              } catch (error) {
                if (!(error instanceof SealError)) throw error;
                const { why: reason, message } = error;
                onUnreadable({ workflowId: context.workflowId, reason, message });
                return closed(message);
              }
            }),
          ),
  });
  return { ...converter, payloadCodecs: (converter.payloadCodecs ?? []).map(tolerant) };
}

const closed = (message: string): Payload => ({
  metadata: { encoding: Buffer.from(`${ENCRYPTED_ENCODING}: ${message}`, 'utf8') },
});
