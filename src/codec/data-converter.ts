import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import type { KeyRing } from './key-ring';
import { createPayloadCodec, ENCRYPTED_ENCODING } from './payload-codec';
import { SealError } from './seal';

export const FAILURE_CONVERTER_PATH = require.resolve('./failure-converter');

/** What clients and workers of an encrypted namespace convert with; null ring: the engine's own, in clear. */
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
 * For workers: a payload that comes to a workflow and does not open stays closed, with the reason in its encoding,
 * and stops only what needs it. The SDK opens all payloads of a task at once, so a throw here would stop the whole
 * run for one hint, which decides nothing. What converts a payload left closed fails with `Unknown encoding:
 * binary/encrypted: <reason>`: the task for an argument of the start, the update alone for an update. Hints are let
 * through without it, and what a scheduled run is told of the one before is dropped (`workflows/unreadable-hints.ts`).
 * Everything else, such as results of activities, throws `SealError` as ever.
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
