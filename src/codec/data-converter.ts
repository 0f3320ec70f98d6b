import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import type { KeyRing } from './key-ring';
import { createPayloadCodec, ENCRYPTED_ENCODING } from './payload-codec';
import { SealError } from './seal';

export const FAILURE_CONVERTER_PATH = require.resolve('./failure-converter');

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
 * For workers. A payload for a workflow that does not open stays closed, with the reason in its encoding. Only what
 * needs the payload fails. The SDK opens all payloads of a task at once, so throwing here would stop the run because of
 * one hint, which decides nothing. Whatever converts a closed payload fails with `Unknown encoding: binary/encrypted:
 * <reason>`: the task for an argument of the start, only the update for an update. Hints pass without their payload,
 * and the previous result that a scheduled run gets is dropped (`workflows/unreadable-hints.ts`). Everything else, such
 * as results of activities, throws `SealError`.
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
