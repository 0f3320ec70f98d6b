import type { DataConverter } from '@temporalio/common';
import type { KeyRing } from './key-ring';
import { createPayloadCodec } from './payload-codec';

export const FAILURE_CONVERTER_PATH = require.resolve('./failure-converter');

/** What clients and workers of an encrypted namespace convert with; null ring: the engine's own, in clear. */
export function dataConverterOf(ring: KeyRing | null, namespace: string): DataConverter | undefined {
  return ring === null
    ? undefined
    : { payloadCodecs: [createPayloadCodec(ring, namespace)], failureConverterPath: FAILURE_CONVERTER_PATH };
}
