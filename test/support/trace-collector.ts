import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span in OTLP/JSON, flattened. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'service' | 'attributes' | 'parentSpanId'> & {
        readonly parentSpanId?: string;
        readonly attributes: readonly Attribute[];
      })[];
    }[];
  }[];
}

export interface TraceCollector {
  readonly url: string;
  /** Every export as received. */
  readonly texts: readonly string[];
  readonly spans: () => readonly CollectedSpan[];
  close(): Promise<void>;
}

/** Starts a stand-in for an OpenTelemetry collector, which accepts OTLP over HTTP in JSON and keeps the exports. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const texts: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isExport = request.method === 'POST' && request.url === '/v1/traces';
      if (isExport) texts.push(Buffer.concat(chunks).toString());
      response.writeHead(isExport ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    spans: () => texts.flatMap((text) => spansOf(JSON.parse(text) as Export)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const spansOf = ({ resourceSpans }: Export): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, attributes }) => ({
        ...{ name, traceId, spanId, parentSpanId: parentSpanId ?? '' },
        service: String(valuesOf(resource.attributes)['service.name']),
        attributes: valuesOf(attributes),
      })),
    ),
  );

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
