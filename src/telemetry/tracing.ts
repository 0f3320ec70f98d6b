import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { bareSpans } from './bare-spans';
import { guarded } from './trace-guard';

export interface TracingOptions {
  readonly url: string;
  readonly serviceName: string;
  readonly serviceVersion: string;
  readonly ratio: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a process puts into its parts to be traced; nothing in the lists when it is not. */
export interface Tracing {
  readonly isOn: boolean;
  readonly clientInterceptors: WorkflowClientInterceptor[];
  readonly activityInterceptors: ActivityInterceptorsFactory[];
  /** Sends what is left, for at most some seconds. */
  close(): Promise<void>;
}

export const NO_TRACING: Tracing = {
  isOn: false,
  clientInterceptors: [],
  activityInterceptors: [],
  close: () => Promise.resolve(),
};

/** A collector that is away must not hold up the end of a command. */
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
  // Not the default, which takes up and hands on baggage, too: it would lie in clear in the engine's histories.
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return {
    isOn: true,
    clientInterceptors: [new OpenTelemetryWorkflowClientInterceptor()],
    activityInterceptors: [
      (activity) => ({ inbound: guarded(new OpenTelemetryActivityInboundInterceptor(activity)) }),
    ],
    close: async () => {
      // Of a failed export the collector's own log tells; ours goes on.
      await provider.shutdown().catch(() => undefined);
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
}
