import type { Scope } from '../scope';
import { openLine } from './line';
import type { LineState } from './line';
import type { SimulatedSystem } from './system';

export type LinePart = 'bank' | 'journal' | 'engine';

/** The proxies between the product's processes and bank, journal and engine. */
export interface Lines {
  /** host:port of the line to this part. */
  addressOf(part: LinePart): string;
  /** The journal's URL with the port of its line. */
  throughLine(databaseUrl: string): string;
  become(part: LinePart, state: LineState): void;
}

export async function openLines(
  scope: Scope,
  { env, databaseUrl, temporalAddress }: Pick<SimulatedSystem, 'env' | 'databaseUrl' | 'temporalAddress'>,
): Promise<Lines> {
  const lines = {
    bank: await openLine(scope, env.bank),
    journal: await openLine(scope, { port: Number(new URL(databaseUrl).port) }),
    engine: await openLine(scope, { port: Number(temporalAddress.split(':')[1]) }),
  };
  return {
    addressOf: (part) => `127.0.0.1:${lines[part].port}`,
    throughLine: (url) => {
      const through = new URL(url);
      through.port = String(lines.journal.port);
      return through.href;
    },
    become: (part, state) => lines[part].become(state),
  };
}
