import http from 'node:http';
import https from 'node:https';
import { tlsOptions } from '../credentials/tls-material';
import type { TlsMaterial, TlsSource } from '../credentials/tls-material';

/**
 * An idle socket is closed after this time, before a server would close it (often after 5 s). A request on a socket
 * that the bank is just closing would have an unknown outcome.
 */
const IDLE_SOCKET_MS = 4_000;

export interface AgentLease {
  readonly agent: http.Agent;
  /** Call it once, when the call has ended. */
  release(): void;
}

interface Generation {
  readonly agent: http.Agent;
  readonly material: TlsMaterial | null;
  calls: number;
}

/**
 * Pools of kept-alive sockets. When certificates or keys change, new calls get a new pool; the old pool is closed when
 * its last call has ended.
 */
export class Agents {
  private current: Generation;

  /** `tls` null: plain HTTP. Throws when the material is unusable. */
  constructor(private readonly options: { readonly tls: TlsSource | null; readonly maxSockets: number }) {
    this.current = this.generation();
  }

  lease(): AgentLease {
    const { tls } = this.options;
    if (tls !== null && tls() !== this.current.material) {
      const old = this.current;
      this.current = this.generation();
      if (old.calls === 0) old.agent.destroy();
    }
    const mine = this.current;
    mine.calls += 1;
    return {
      agent: mine.agent,
      release: () => {
        mine.calls -= 1;
        if (mine.calls === 0 && mine !== this.current) mine.agent.destroy();
      },
    };
  }

  destroy(): void {
    this.current.agent.destroy();
  }

  private generation(): Generation {
    const { tls, maxSockets } = this.options;
    const pool = { keepAlive: true, maxSockets, timeout: IDLE_SOCKET_MS };
    if (tls === null) return { agent: new http.Agent(pool), material: null, calls: 0 };
    const material = tls();
    return { agent: new https.Agent({ ...pool, ...tlsOptions(material) }), material, calls: 0 };
  }
}
