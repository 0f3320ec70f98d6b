import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers, Payload } from '@temporalio/workflow';
import { interceptors } from '../../src/workflows/trace-context';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const json = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const bytes = (text: string): Uint8Array => Buffer.from(text);

/** The headers that an activity, a local one and the next run get of a run that was started with `header`. */
async function handedOn(header: Payload | undefined): Promise<Headers[]> {
  const { inbound = [], outbound = [] } = interceptors();
  const began = { headers: header === undefined ? {} : { '_tracer-data': header }, args: [] };
  const run = inbound[0]?.execute;
  expect(await run?.(began as never, () => Promise.resolve('ran'))).toBe('ran');
  const [calls] = outbound;
  const seen: Headers[] = [];
  const next = (input: { headers: Headers }): never => seen.push(input.headers) as never;
  const input = { headers: { other: json(1) } } as never;
  void calls?.scheduleActivity?.(input, next);
  void calls?.scheduleLocalActivity?.(input, next);
  void calls?.continueAsNew?.(input, next);
  expect(seen).toHaveLength(3);
  return seen;
}

test('a trace goes to activities and to the next run, as its ids alone', async () => {
  const header = json({
    traceparent: PARENT,
    tracestate: 'vendor=secret-state',
    baggage: 'user=Juana%20Molina',
  });
  for (const headers of await handedOn(header)) {
    expect(Object.keys(headers)).toEqual(['other', '_tracer-data']);
    expect(defaultPayloadConverter.fromPayload(headers['_tracer-data'] as Payload)).toEqual({
      traceparent: PARENT,
    });
  }
});

test.each<[string, Payload | undefined]>([
  ['none', undefined],
  ['an encoding of somebody else', { metadata: { encoding: bytes('binary/x-unknown') }, data: bytes('x') }],
  ['an encrypted one', { metadata: { encoding: bytes('binary/encrypted') }, data: bytes('\u0000') }],
  ['no metadata', { data: bytes(`{"traceparent":"${PARENT}"}`) }],
  ['no JSON', { metadata: { encoding: bytes('json/plain') }, data: bytes('{"traceparent') }],
  ['no data', { metadata: { encoding: bytes('json/plain') } }],
  ['bytes', { metadata: { encoding: bytes('binary/plain') }, data: bytes(PARENT) }],
  ['null', json(null)],
  ['a text', json(PARENT)],
  ['another tracer', json({ 'uber-trace-id': '1:2:0:1' })],
  ['a parent that is no text', json({ traceparent: [PARENT] })],
  ['a parent with words in it', json({ traceparent: 'Juana Molina' })],
  ['a trace of zeros', json({ traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` })],
  ['words behind the ids', json({ traceparent: `${PARENT}Juana` })],
])('%s: the run goes on without a trace', async (_, header) => {
  for (const headers of await handedOn(header)) expect(Object.keys(headers)).toEqual(['other']);
});

test('what a later version appends is left out', async () => {
  const [headers] = await handedOn(json({ traceparent: `01${PARENT.slice(2)}-Juana` }));
  expect(defaultPayloadConverter.fromPayload(headers?.['_tracer-data'] as Payload)).toEqual({
    traceparent: `01${PARENT.slice(2)}`,
  });
});
