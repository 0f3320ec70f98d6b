import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { BAD_RUN_MAX } from '../../src/bank/limiter/circuit-breaker';
import type { Health } from '../../src/bank/limiter/circuit-breaker';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import type { BankLimiter } from '../../src/bank/limiter/limiter';
import type { Context } from '../../src/context';
import { createLogger } from '../../src/telemetry/logger';
import { createMetrics } from '../../src/telemetry/metrics/metrics';
import { serveHealth } from '../../src/program/http';
import { bankLine, watchServers } from '../../src/worker/outages';

const logger = createLogger({ level: 'fatal', destination: { write: () => undefined } });

/** A worker's pages, with reachable servers and a bank with given answers. `probeJournal`: as in an outage. */
async function serve(probeJournal: () => Promise<unknown> = () => Promise.resolve({ ready: true })) {
  const limiter = createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 });
  const metrics = createMetrics();
  const servers = watchServers({
    ...{ limiter, logger },
    journal: { checkSchema: probeJournal },
    temporal: {
      config: { address: 'temporal:7233' },
      connection: { withDeadline: () => Promise.resolve({}) },
    },
  } as unknown as Context<'journal' | 'temporal'>);
  const http = await serveHealth({
    ...{ host: '127.0.0.1', port: 0, metricsUrl: null, metrics: metrics.registry },
    problems: servers.problems,
    servers: servers.lines,
    beforeScrape: () => {
      servers.show(metrics.servers);
      return Promise.resolve();
    },
  });
  const get = async (path: string) => {
    const response = await fetch(`http://${http.address}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return {
    ...{ limiter, servers, get },
    upLines: async () =>
      (await get('/metrics')).text.split('\n').filter((line) => line.startsWith('giro_server_up')),
    close: () => Promise.all([http.close(), servers.close()]),
  };
}

/** Sends a request over a connection of its own, and keeps that; null: the connection was refused. */
function hold(port: number, localAddress: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    socket.once('data', () => resolve(socket));
    socket.once('close', () => resolve(null));
    socket.once('connect', () => socket.write('GET /healthz HTTP/1.1\r\nHost: giro.example\r\n\r\n'));
  });
}

test('who holds connections to the pages of health keeps no probe from them', async () => {
  const metrics = createMetrics();
  const http = await serveHealth({
    ...{ host: '127.0.0.1', port: 0, metricsUrl: null, metrics: metrics.registry },
    ...{ problems: () => [], servers: () => [], beforeScrape: () => Promise.resolve() },
  });
  const port = Number(http.address.split(':').at(-1));
  try {
    const held = await Promise.all(Array.from({ length: 300 }, () => hold(port, '127.0.0.1')));
    expect(held.filter((socket) => socket !== null)).toHaveLength(64);
    expect(await hold(port, '127.0.0.2')).not.toBeNull();
  } finally {
    await http.close();
  }
});

async function ask(limiter: BankLimiter, health: Health): Promise<void> {
  const admission = await limiter.admit('lookup', { returning: false });
  if (admission.kind === 'admitted') admission.permit.made(health);
}

test('each server has its line and its figure; a bank that is away makes no worker unready', async () => {
  const worker = await serve();
  try {
    expect(await worker.get('/readyz')).toEqual({
      status: 200,
      text: 'ready\ntemporal: reachable\njournal: reachable\nbank: not asked yet\n',
    });
    expect(await worker.upLines()).toEqual([
      'giro_server_up{server="temporal"} 1',
      'giro_server_up{server="journal"} 1',
    ]);

    await ask(worker.limiter, 'good');
    expect((await worker.get('/readyz')).text).toMatch(/\nbank: answered \d+ s ago\n$/);
    expect(await worker.upLines()).toContain('giro_server_up{server="bank"} 1');

    for (let i = 0; i < BAD_RUN_MAX; i += 1) await ask(worker.limiter, 'bad');
    const away = await worker.get('/readyz');
    expect(away.status).toBe(200);
    expect(away.text).toMatch(
      /^ready\n[^]*\nbank: unavailable: not reached or answered 5xx \d+ s ago; requests wait/,
    );
    expect(await worker.upLines()).toContain('giro_server_up{server="bank"} 0');
  } finally {
    await worker.close();
  }
});

test('without the journal, or Temporal, it is unready, and says which', async () => {
  const worker = await serve(() => Promise.reject(new Error('connection refused')));
  try {
    worker.servers.journal.failed('connection refused');
    expect(await worker.get('/readyz')).toEqual({
      status: 503,
      text: 'not ready: the journal cannot be reached\ntemporal: reachable\njournal: unreachable\nbank: not asked yet\n',
    });
    expect(await worker.upLines()).toContain('giro_server_up{server="journal"} 0');
    expect((await worker.get('/healthz')).status).toBe(200);
  } finally {
    await worker.close();
  }
});

test('a single request without an answer is reported as such', () => {
  const last = (health: Health) => ({ health, agoMs: 3_999 });
  expect(bankLine({ breaker: 'closed', last: last('unclear') })).toBe('no clear answer 3 s ago');
  expect(bankLine({ breaker: 'closed', last: last('bad') })).toBe('not reached or answered 5xx 3 s ago');
  expect(bankLine({ breaker: 'half-open', last: last('bad') })).toMatch(/^unavailable: /);
});
