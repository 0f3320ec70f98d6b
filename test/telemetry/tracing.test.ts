import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import type { Payload } from '@temporalio/common';
import type { Context as ActivityContext } from '@temporalio/activity';
import { propagation } from '@opentelemetry/api';
import { startTracing } from '../../src/telemetry/tracing';
import { startTraceCollector } from '../support/trace-collector';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CANARY = 'Juana Molina 20218346414';
const activity = {
  info: {
    activityType: 'receiveTransfer',
    activityId: '1',
    inWorkflow: true,
    workflowExecution: { workflowId: 'transfer-1', runId: 'r' },
  },
} as unknown as ActivityContext;

/** Runs one activity as a traced worker does, and answers with what the collector got. */
async function traced(headers: Record<string, Payload>, body: () => Promise<unknown>) {
  const collector = await startTraceCollector();
  const tracing = await startTracing({
    ...{ url: `${collector.url}/v1/traces`, serviceName: 'giro-worker', serviceVersion: '0', ratio: 1 },
    headers: {},
  });
  let baggageFields: string[] = [];
  try {
    baggageFields = propagation.fields();
    const execute = tracing.activityInterceptors[0]?.(activity).inbound?.execute;
    const outcome = await Promise.resolve(execute?.({ headers, args: [] }, body)).then(
      (value: unknown) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await tracing.close();
    return { outcome, spans: collector.spans(), text: collector.texts.join('\n'), baggageFields };
  } finally {
    await collector.close();
  }
}

const header = (payload: Payload) => ({ '_tracer-data': payload });

test('an activity is part of the trace that its header names', async () => {
  const payload = defaultPayloadConverter.toPayload({ traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` });
  const { outcome, spans, baggageFields } = await traced(header(payload), () => Promise.resolve(7));
  expect(outcome).toEqual({ value: 7 });
  expect(spans).toMatchObject([{ name: 'RunActivity:receiveTransfer', traceId: TRACE_ID }]);
  // No baggage is taken up, or put into what this process starts.
  expect(baggageFields).toEqual(['traceparent', 'tracestate']);
});

test.each([
  ['of an unknown encoding', { metadata: { encoding: Buffer.from('binary/x') }, data: Buffer.from('x') }],
  ['that is no JSON', { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{') }],
  ['without metadata', { data: Buffer.from('{}') }],
  ['that is null', defaultPayloadConverter.toPayload(null)],
])('a header %s: the activity runs, in a trace of its own', async (_, payload) => {
  const { outcome, spans } = await traced(header(payload), () => Promise.resolve('ran'));
  expect(outcome).toEqual({ value: 'ran' });
  expect(spans).toMatchObject([{ name: 'RunActivity:receiveTransfer', parentSpanId: '' }]);
});

test.each([
  ['an error', new TypeError(CANARY), 'TypeError'],
  ['a failure', ApplicationFailure.nonRetryable(CANARY, 'InvalidTransferOrder'), 'ApplicationFailure'],
  ['an error of one word', new Error('Molina'), 'Error'],
  ['an error with a telling name', Object.assign(new Error('x'), { name: CANARY }), null],
  ['no error at all', CANARY, null],
])('%s: the span tells what it is called, and nothing that it says', async (_, error, word) => {
  const { outcome, spans, text } = await traced({}, () => {
    // What is thrown may be anything.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw error;
  });
  expect(outcome).toEqual({ error });
  expect(spans).toHaveLength(1);
  expect(text).toContain('"status":{"code":2');
  if (word !== null) expect(text).toContain(`"message":"${word}"`);
  for (const part of ['Molina', '20218346414', 'stacktrace', 'tracing.test', 'exception']) {
    expect(text).not.toContain(part);
  }
});
