import type { Payload } from '@temporalio/common';
import { z } from 'zod';

/** The body of `/decode` and `/encode`, as the Temporal UI and CLI send it: payloads in proto JSON, bytes in base64. */
const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, 'is not base64');

const wirePayload = z.object({ metadata: z.record(z.string(), base64).optional(), data: base64.optional() });

const PAYLOADS_MAX = 1_000;

export const payloadsBody = z.object({ payloads: z.array(wirePayload).max(PAYLOADS_MAX) });

export type WirePayload = z.infer<typeof wirePayload>;

export const fromWire = ({ metadata, data }: WirePayload): Payload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64')]),
  ),
  ...(data === undefined ? {} : { data: Buffer.from(data, 'base64') }),
});

export const toWire = ({ metadata, data }: Payload): WirePayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  ),
  ...(data == null ? {} : { data: Buffer.from(data).toString('base64') }),
});
