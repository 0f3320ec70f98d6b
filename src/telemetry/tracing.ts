import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers } from '@temporalio/common';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

export interface TracingOptions {
  readonly url: string;
  readonly serviceName: string;
  readonly serviceVersion: string;
  readonly ratio: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The tracing hooks that a process passes to its parts; the lists are empty when it is not traced. */
export interface Tracing {
  readonly isOn: boolean;
  readonly clientInterceptors: WorkflowClientInterceptor[];
  readonly activityInterceptors: ActivityInterceptorsFactory[];
  /** Sends the remaining spans, for at most some seconds. */
  close(): Promise<void>;
}

export const NO_TRACING: Tracing = {
  isOn: false,
  clientInterceptors: [],
  activityInterceptors: [],
  close: () => Promise.resolve(),
};

/** An unreachable collector must not delay the end of a command. */
const EXPORT_TIMEOUT_MS = 5_000;

/**
 * Spans of this process, to a collector by OTLP over HTTP: starts, queries, signals and updates of workflows,
 * activities, and calls of the bank. The modules are loaded only here, by a process that is traced.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { context, propagation, trace } = await import('@opentelemetry/api');
  const { W3CTraceContextPropagator } = await import('@opentelemetry/core');
  const { Resource } = await import('@opentelemetry/resources');
  const { BatchSpanProcessor, NodeTracerProvider, ParentBasedSampler, TraceIdRatioBasedSampler } =
    await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { OpenTelemetryActivityInboundInterceptor, OpenTelemetryWorkflowClientInterceptor } =
    await import('@temporalio/interceptors-opentelemetry');
  const exporter = new OTLPTraceExporter({
    url: options.url,
    headers: { ...options.headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new NodeTracerProvider({
    resource: new Resource({
      'service.name': options.serviceName,
      'service.version': options.serviceVersion,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    spanProcessors: [new BatchSpanProcessor(bareSpans(exporter), { exportTimeoutMillis: EXPORT_TIMEOUT_MS })],
  });
  // Not the default propagator, which also passes on baggage, which would be in clear in Temporal's histories.
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return {
    isOn: true,
    clientInterceptors: [new OpenTelemetryWorkflowClientInterceptor()],
    activityInterceptors: [
      (activity) => ({ inbound: guarded(new OpenTelemetryActivityInboundInterceptor(activity)) }),
    ],
    close: async () => {
      // If the collector is unreachable, the remaining spans are lost, and nothing reports the loss.
      await provider.shutdown().catch(() => undefined);
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}

const TRACE_HEADER = '_tracer-data';

/**
 * The same interceptor, without trace headers that it cannot read. The interceptor decodes the header before the
 * activity's code begins, so an error there would fail the step again and again. Without a header the span has no
 * parent.
 */
function guarded(traced: ActivityInboundCallsInterceptor): ActivityInboundCallsInterceptor {
  return {
    execute: (input, next) =>
      traced.execute?.({ ...input, headers: readable(input.headers) }, next) ?? next(input),
  };
}

function readable(headers: Headers): Headers {
  const { [TRACE_HEADER]: header, ...others } = headers;
  if (header === undefined) return headers;
  try {
    const carrier: unknown = defaultPayloadConverter.fromPayload(header);
    return typeof carrier === 'object' && carrier !== null ? headers : others;
  } catch {
    return others;
  }
}

/** The name of an error: its type, or a code of ours. Anything longer is a sentence and may name a person. */
const WORD = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Text by people: the reason of a termination. */
const TEXT_ATTRIBUTES: ReadonlySet<string> = new Set(['temporalTerminateReason']);

/**
 * Exports spans without the text of a failure: no message, no stack. A collector is another system with other
 * readers, and a message may quote arguments of the failed call. The error's name stays, as the span's status.
 */
function bareSpans(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => {
      exporter.export(spans.map(bare), done);
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

function bare(span: ReadableSpan): ReadableSpan {
  const { code, message } = span.status;
  // With an exception, the message is the error's own; without one, it is a code that we set.
  const name = errorType(span) ?? message;
  const word = name !== undefined && WORD.test(name) ? name : undefined;
  return Object.create(span, {
    status: { value: word === undefined ? { code } : { code, message: word } },
    events: { value: [] },
    attributes: {
      value: Object.fromEntries(Object.entries(span.attributes).filter(([key]) => !TEXT_ATTRIBUTES.has(key))),
    },
  }) as ReadableSpan;
}

function errorType({ events }: ReadableSpan): string | undefined {
  const type = events.find(({ name }) => name === 'exception')?.attributes?.['exception.type'];
  return typeof type === 'string' ? type : undefined;
}
