import { join } from 'node:path';
import { freePort, withPortRetry } from '../../dev/free-port';
import { newTemporaryFolder, startKept } from '../../dev/kept-process';
import type { Scope } from '../../dev/scope';
import { waitUntilServing } from '../../dev/wait-until-serving';

const START_TIMEOUT_MS = 60_000;

export interface RestateServer {
  readonly pid: () => number;
  readonly ingressUrl: string;
  /** Registers a service. */
  readonly register: (serviceUrl: string) => Promise<void>;
}

/** Starts Restate's server with default settings, on free ports of loopback. */
export const startRestate = (scope: Scope, folder: string): Promise<RestateServer> =>
  withPortRetry(async () => {
    const ports = { ingress: await freePort(), admin: await freePort(), node: await freePort() };
    const home = newTemporaryFolder('restate');
    const kept = startKept({
      folder: home,
      ...{ owner: null, copies: [], files: {}, prepare: [] },
      env: {
        ...{ PATH: process.env['PATH'] ?? '', HOME: home, RESTATE_BASE_DIR: join(home, 'data') },
        ...{
          RESTATE_BIND_IP: '127.0.0.1',
          RESTATE_LISTEN_MODE: 'tcp',
          RESTATE_BIND_PORT: String(ports.node),
        },
        RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
        RESTATE_ADMIN__BIND_PORT: String(ports.admin),
        RESTATE_ADMIN__DISABLE_WEB_UI: 'true',
        // No connections beyond loopback.
        ...{ RESTATE_DISABLE_TELEMETRY: 'true', DO_NOT_TRACK: '1' },
      },
      server: { command: serverPath(folder), args: ['--no-logo'] },
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 10_000,
    });
    scope.own(kept, (it) => it.stop());
    const pid = await kept.started;
    const admin = `http://127.0.0.1:${ports.admin}`;
    const ingressUrl = `http://127.0.0.1:${ports.ingress}`;
    const areHealthy = async () => {
      await answered(`${admin}/health`);
      await answered(`${ingressUrl}/restate/health`);
    };
    await waitUntilServing('Restate', kept, areHealthy, START_TIMEOUT_MS);
    return {
      pid: () => pid,
      ingressUrl,
      register: (uri) =>
        answered(`${admin}/deployments`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ uri }),
        }),
    };
  });

const serverPath = (folder: string): string =>
  join(
    ...[folder, 'node_modules', '@restatedev', `restate-server-${process.platform}-${process.arch}`],
    ...['bin', 'restate-server'],
  );

async function answered(url: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status} ${await response.text()}`);
}
