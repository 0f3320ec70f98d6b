import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { freePort } from '../../dev/free-port';
import { packageRoot } from '../../dev/package-root';
import type { Scope } from '../../dev/scope';
import { startNodeProcess } from '../../dev/service-process';
import type { ServiceProcess } from '../../dev/service-process';
import { startWorkerProcess } from '../../dev/worker-process';
import { GiroClient } from '../../src/client';
import type { TransferOrder } from '../../src/domain/order';
import { installContestants } from './install';
import { POLL_MS } from './orders';
import { startRestate } from './restate-server';
import type { Servers } from './servers';

export const CONTESTANTS = ['giro', 'naive', 'floor', 'dbos', 'restate'] as const;
export type ContestantName = (typeof CONTESTANTS)[number];
/** The contestants that keep their data in Temporal. */
export const ON_TEMPORAL: readonly ContestantName[] = ['giro', 'naive', 'floor'];

/** A way to execute transfers. Its worker is a separate process. */
export interface Contestant {
  readonly name: ContestantName;
  /** Its other processes, by their roles. */
  readonly servers: Readonly<
    Partial<Record<'engine' | 'engine store' | 'postgres', () => readonly number[]>>
  >;
  /** `nodeOptions`: options of Node.js itself. `nth`: number of workers started before for the same round. */
  readonly startWorker: (nodeOptions: readonly string[], nth?: number) => Promise<ServiceProcess>;
  /** Starts the transfer, or finds it, and waits for its final status. */
  readonly transfer: (order: TransferOrder) => Promise<string>;
  /** Number of COMPLETED orders in its own books; absent: it keeps no books. */
  readonly recorded?: (orders: readonly TransferOrder[]) => Promise<number>;
}

type Start = (scope: Scope, servers: Servers, say: (line: string) => void) => Promise<Contestant>;

const FOLDER = join(packageRoot, 'bench', 'contestants');
const RETRY_MS = 100;
const ASK_TIMEOUT_MS = 120_000;

const engineOf = ({ temporalPids, temporalStorePid }: Servers): Contestant['servers'] => ({
  engine: temporalPids,
  ...(temporalStorePid === null ? {} : { 'engine store': () => [temporalStorePid()] }),
});

/** Spreads the workers over the Temporal servers. */
const addressFor = ({ temporalAddresses }: Servers, nth = 0): string =>
  temporalAddresses[nth % temporalAddresses.length] ?? '';

const giro: Start = async (scope, servers) => {
  const { client, journalUrl, access, postgresPid } = servers;
  const taskQueue = 'giro';
  const caller = new GiroClient({ client, taskQueue });
  const sql = scope.own(new Postgres({ connectionString: journalUrl }), (it) => it.end());
  await sql.connect();
  return {
    name: 'giro',
    servers: { ...engineOf(servers), postgres: () => [postgresPid()] },
    startWorker: (nodeOptions, nth) =>
      startWorkerProcess({
        ...{
          temporalAddress: addressFor(servers, nth),
          databaseUrl: journalUrl,
          taskQueue,
          access,
          nodeOptions,
        },
        env: { POLL_ACTIVE: `${POLL_MS}ms`, BANK_MAX_RPS: '0' },
      }),
    transfer: async (order) => {
      await caller.startTransfer(order);
      return (await caller.waitForTransfer(order.originId)).status;
    },
    recorded: async (orders) => {
      const { rowCount } = await sql.query(
        "select from giro.result where status = 'COMPLETED' and origin_id = any ($1)",
        [orders.map(({ originId }) => originId)],
      );
      return rowCount ?? 0;
    },
  };
};

const temporal =
  (name: 'naive' | 'floor'): Start =>
  (_scope, servers) =>
    Promise.resolve({
      name,
      servers: engineOf(servers),
      startWorker: (nodeOptions) =>
        startNodeProcess({
          ...{ name, args: [...nodeOptions, join(FOLDER, 'temporal.mjs')], files: servers.access.files },
          env: {
            ...{ ...servers.access.settings, TASK_QUEUE: name },
            TEMPORAL_ADDRESS: addressFor(servers),
          },
        }),
      transfer: (order) =>
        servers.client.workflow.execute<(order: BankBody, pollMs: number) => Promise<string>>(name, {
          ...{ workflowId: `transfer-${order.originId}`, taskQueue: name },
          args: [bankBody(order), POLL_MS],
        }),
    });

const dbos: Start = async (_scope, { createDatabase, access, postgresPid }, say) => {
  const folder = await installContestants(say);
  const databaseUrl = await createDatabase('dbos');
  const port = await freePort();
  return {
    name: 'dbos',
    servers: { postgres: () => [postgresPid()] },
    startWorker: (nodeOptions) =>
      startNodeProcess({
        ...{ name: 'dbos', args: [...nodeOptions, join(folder, 'dbos.mjs')], files: access.files },
        env: { ...access.settings, DBOS_SYSTEM_DATABASE_URL: databaseUrl, PORT: String(port) },
      }),
    transfer: (order) => postUntilAnswered(`http://127.0.0.1:${port}/${order.originId}`, order),
  };
};

const restate: Start = async (scope, { access }, say) => {
  const folder = await installContestants(say);
  const port = await freePort();
  const server = await startRestate(scope, folder);
  let isRegistered = false;
  return {
    name: 'restate',
    servers: { engine: () => [server.pid()] },
    startWorker: async (nodeOptions) => {
      const worker = await startNodeProcess({
        ...{ name: 'restate', args: [...nodeOptions, join(folder, 'restate.mjs')], files: access.files },
        env: { ...access.settings, PORT: String(port) },
      });
      if (!isRegistered) await server.register(`http://127.0.0.1:${port}`);
      isRegistered = true;
      return worker;
    },
    transfer: (order) =>
      postUntilAnswered(
        `${server.ingressUrl}/transfer/${order.originId}/run`,
        order,
        `${server.ingressUrl}/restate/workflow/transfer/${order.originId}/attach`,
      ),
  };
};

const STARTS: Readonly<Record<ContestantName, Start>> = {
  ...{ giro, dbos, restate },
  ...{ naive: temporal('naive'), floor: temporal('floor') },
};

/** @throws Error when the contestant cannot be installed or started */
export const startContestant = (name: ContestantName, ...given: Parameters<Start>): Promise<Contestant> =>
  STARTS[name](...given);

/** The create body as the bank expects it: the amount is a number. */
interface BankBody {
  readonly originId: number;
  readonly body: { readonly amount: number };
}

const bankBody = (order: TransferOrder): BankBody => ({
  ...order,
  body: { ...order.body, amount: Number(order.body.amount) },
});

/**
 * Returns the final status from a service that answers when the transfer has ended. When its worker is killed, the
 * connection breaks, and the request for the same transfer is repeated. `attachUrl`: address of a transfer that was
 * started before (HTTP 409).
 */
async function postUntilAnswered(url: string, order: TransferOrder, attachUrl?: string): Promise<string> {
  const post: RequestInit = {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ order: bankBody(order), pollMs: POLL_MS }),
  };
  let isStarted = false;
  for (;;) {
    const answer = await (isStarted && attachUrl !== undefined ? ask(attachUrl) : ask(url, post));
    if (answer?.status === 200) return JSON.parse(answer.text) as string;
    if (answer?.status === 409 && attachUrl !== undefined) isStarted = true;
    else if (answer !== null) throw new Error(`${url}: HTTP ${answer.status} ${answer.text}`);
    await setTimeout(RETRY_MS);
  }
}

/** Null: the connection was refused, or broke. */
async function ask(url: string, init: RequestInit = {}): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ASK_TIMEOUT_MS) });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw new Error(`${url}: no answer within ${ASK_TIMEOUT_MS} ms`, { cause: error });
    return null;
  }
}
