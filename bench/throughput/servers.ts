import { setTimeout } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { tokenAccess } from '../../dev/bank-access';
import type { BankAccess } from '../../dev/bank-access';
import { startPostgres } from '../../dev/postgres';
import type { Scope } from '../../dev/scope';
import { PRODUCTION_CONFIG, registerSearchAttributes, startTemporalServer } from '../../dev/temporal-server';
import { clusterBinaries, startTemporalCluster } from '../../dev/topology/temporal-cluster';
import { migrateJournal } from '../../src/journal/migrate';
import { startSandboxBank } from '../../src/sandbox-bank';
import type { SandboxBank } from '../../src/sandbox-bank';
import { RULES } from './orders';

/**
 * The servers that all contestants share: a bank, Temporal, and a PostgreSQL whose commits survive a power cut.
 */
export interface Servers {
  readonly bank: SandboxBank;
  readonly access: BankAccess;
  readonly client: Client;
  readonly temporalVersion: string;
  /** Of each Temporal server. */
  readonly temporalAddresses: readonly string[];
  /** Processes of Temporal, without its PostgreSQL. */
  readonly temporalPids: () => readonly number[];
  /** Temporal's own PostgreSQL; null: its data are in memory. */
  readonly temporalStorePid: (() => number) | null;
  readonly postgresPid: () => number;
  readonly createDatabase: (name: string) => Promise<string>;
  /** Giro's journal. */
  readonly journalUrl: string;
}

const BANK_TOKEN = 'bench';

/** Where Temporal keeps its data. */
export const ENGINE_STORES = ['memory', 'postgres'] as const;
export type EngineStore = (typeof ENGINE_STORES)[number];

/**
 * Shards of a Temporal cluster on PostgreSQL. A production cluster has 512 or more (docs/scaling.md), but then the
 * queues of idle shards would take processor time that the few transfers of a bench cannot share.
 */
export const SHARDS = 16;
/**
 * A Temporal server caches the list of search attributes for up to a minute. The servers of tests do not
 * (`DYNAMIC_CONFIG`), so with their settings each search attribute would cost more than in production.
 */
const ATTRIBUTES_KNOWN_AFTER_MS = 65_000;

type Say = (line: string) => void;
type Engine = Pick<Servers, 'temporalAddresses' | 'temporalPids' | 'temporalStorePid'>;

const startDurablePostgres = async (scope: Scope, say: Say) =>
  scope.own(await startPostgres({ log: say, durable: true }), (it) => it.stop());

/** `servers`: number of Temporal servers; in memory there is always one. */
const ENGINES: Readonly<Record<EngineStore, (scope: Scope, servers: number, say: Say) => Promise<Engine>>> = {
  memory: async (scope, _servers, say) => {
    const starting = startTemporalServer({ ui: false, dynamicConfig: PRODUCTION_CONFIG, log: say });
    const { address, pid } = scope.own(await starting, (it) => it.stop());
    return { temporalAddresses: [address], temporalPids: () => [pid()], temporalStorePid: null };
  },
  postgres: async (scope, servers, say) => {
    const binaries = clusterBinaries(process.env);
    const postgres = await startDurablePostgres(scope, say);
    const cluster = await startTemporalCluster(scope, { binaries, postgres, servers, shards: SHARDS });
    return {
      temporalAddresses: cluster.map(({ address }) => address),
      temporalPids: () => cluster.map(({ pid }) => pid()),
      temporalStorePid: postgres.pid,
    };
  },
};

export async function startServers(
  scope: Scope,
  { engineStore, servers }: { readonly engineStore: EngineStore; readonly servers: number },
  say: Say,
): Promise<Servers> {
  const engine = await ENGINES[engineStore](scope, servers, say);
  const [address = ''] = engine.temporalAddresses;
  await registerSearchAttributes(address);
  say('waiting until Temporal knows the search attributes …');
  await setTimeout(ATTRIBUTES_KNOWN_AFTER_MS);
  const postgres = await startDurablePostgres(scope, say);
  const journalUrl = await postgres.createDatabase('giro');
  await migrateJournal(journalUrl);
  const bank = scope.own(await startSandboxBank({ token: BANK_TOKEN, rules: RULES }), (it) => it.close());
  const connection = scope.own(await Connection.connect({ address }), (it) => it.close());
  const { serverVersion } = await connection.workflowService.getClusterInfo({});
  return {
    temporalVersion: serverVersion,
    ...{ bank, journalUrl, access: tokenAccess(bank, BANK_TOKEN), client: new Client({ connection }) },
    ...{ ...engine, postgresPid: postgres.pid },
    createDatabase: (name) => postgres.createDatabase(name),
  };
}
