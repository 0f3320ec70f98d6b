import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { boundConnections } from '../webhooks/bound-connections';

/** A process's server for health and metrics; closed with the process. */
export interface HealthServer {
  /** `host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

export interface HealthOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Why the process takes no work: it is starting or draining, or a server is unreachable. Empty: it takes work. */
  readonly problems: () => readonly string[];
  /** A line for each server that the process uses, whether or not it blocks work. */
  readonly servers: () => readonly string[];
  /** The metrics that this process counts. */
  readonly metrics: Pick<Registry, 'metrics' | 'contentType'>;
  /** Updates the metrics that are not counted as events happen; does not reject. */
  readonly beforeScrape: () => Promise<void>;
  /** URL of the SDK's Prometheus exporter, which listens on a separate address; null: no exporter. */
  readonly metricsUrl: string | null;
}

const METRICS_TIMEOUT_MS = 5_000;
/** Enough for a probe and a few scrapers. */
const CONNECTIONS_MAX = 256;
const CONNECTIONS_PER_SOURCE_MAX = 64;

/** `GET /healthz` (the process lives), `/readyz` (it takes work), `/metrics` (Prometheus text: ours, the SDK's). */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    void answer(request, response, options);
  });
  boundConnections(server, { max: CONNECTIONS_MAX, perSourceMax: CONNECTIONS_PER_SOURCE_MAX });
  await listen(server, options);
  const { address, family, port } = server.address() as AddressInfo;
  return {
    address: `${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  options: HealthOptions,
): Promise<void> {
  const isRead = method === 'GET' || method === 'HEAD';
  const [status, text, type = 'text/plain; charset=utf-8'] = isRead
    ? await page(url.replace(/\?.*$/, ''), options)
    : [405, 'method not allowed\n'];
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(method === 'HEAD' ? undefined : text);
}

async function page(
  path: string,
  { problems, servers, metrics, beforeScrape, metricsUrl }: HealthOptions,
): Promise<[status: number, text: string, type?: string]> {
  if (path === '/healthz') return [200, 'ok\n'];
  if (path === '/readyz') {
    const reasons = problems();
    const verdict = reasons.length === 0 ? 'ready' : `not ready: ${reasons.join(', ')}`;
    return [reasons.length === 0 ? 200 : 503, `${[verdict, ...servers()].join('\n')}\n`];
  }
  if (path !== '/metrics') return [404, 'not found\n'];
  const [ours, engines] = await Promise.all([
    beforeScrape().then(() => metrics.metrics()),
    metricsUrl === null ? '' : fetchMetrics(metricsUrl),
  ]);
  // If the SDK's exporter fails, only its metrics are missing; those of transfers are still served.
  return [200, `${ours}\n${engines ?? ''}`, metrics.contentType];
}

async function fetchMetrics(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(METRICS_TIMEOUT_MS) });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

function listen(server: Server, { host, port }: HealthOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
