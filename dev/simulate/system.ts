import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DefaultLogger, Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { migrateJournal } from '../../src/journal/migrate';
import { newKeyRing, withActive, withFreshKey } from '../../src/codec/key-ring';
import type { KeyRing } from '../../src/codec/key-ring';
import { tokenAccess } from '../bank-access';
import type { BankAccess } from '../bank-access';
import { BANK_TOKEN, startGiroEnvironment } from '../giro-environment';
import type { GiroEnvironment } from '../giro-environment';
import { packageRoot } from '../package-root';
import { startPostgres } from '../postgres';
import type { PostgresServer } from '../postgres';
import type { Strikes } from '../kept-process';
import type { Scope } from '../scope';
import { DYNAMIC_CONFIG, registerSearchAttributes, startTemporalServer } from '../temporal-server';
import { clusterBinaries, startTemporalCluster } from '../topology/temporal-cluster';
import type { Plan } from './plan';
import { newSigning } from './signing';
import type { SimulationSigning } from './signing';
import type { EngineStore } from './system-faults';

/**
 * The parts of one simulation. Journal, bank and task queue belong to this simulation alone; several plays may share
 * the servers.
 */
export interface SimulatedSystem {
  readonly env: GiroEnvironment;
  readonly access: BankAccess;
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  readonly taskQueue: string;
  readonly servers: Pick<SimulationServers, 'engine' | 'journal' | 'engineStore'>;
  readonly keys: SimulationKeys | null;
  readonly signing: SimulationSigning | null;
}

/** The operators. */
export const OPERATORS = ['ana', 'luis'] as const;

/** The key rings of an encrypted simulation. */
export interface SimulationKeys {
  readonly whole: KeyRing;
  /** Lacks the key that has sealed everything so far. `whole` has the key that this ring seals with. */
  readonly lost: KeyRing;
}

/** A server that can be killed or stopped. After `kill`, `resume` starts it again with its data. */
export interface Resumable extends Strikes {
  resume(): Promise<void>;
}

export interface SimulationServers {
  readonly engine: Resumable & { readonly address: string };
  readonly journal: PostgresServer;
  /** The engine's PostgreSQL; null: the engine keeps its data in a file. */
  readonly engineStore: Resumable | null;
  /** The URL of a new, migrated journal (superuser). */
  newJournal(): Promise<string>;
}

/** The workflow bundle that the workers run, and that replays the histories. */
export const bundleOf = (keys: SimulationKeys | null): string =>
  join(packageRoot, 'dist', keys === null ? 'workflow-bundle.js' : 'workflow-bundle-encrypted.js');

/** Few, because each shard costs the server separate queues. */
const SHARDS = 4;

type Say = (line: string) => void;

/** The simulation kills these servers, and their commits must survive that. */
const startDurablePostgres = async (scope: Scope, say: Say): Promise<PostgresServer> =>
  scope.own(await startPostgres({ log: say, durable: true }), (it) => it.stop());

const ENGINES: Readonly<
  Record<EngineStore, (scope: Scope, say: Say) => Promise<Pick<SimulationServers, 'engine' | 'engineStore'>>>
> = {
  file: async (scope, say) => ({
    engine: scope.own(await startTemporalServer({ ui: false, onDisk: true, log: say }), (it) => it.stop()),
    engineStore: null,
  }),
  postgres: async (scope, say) => {
    const binaries = clusterBinaries(process.env);
    const postgres = await startDurablePostgres(scope, say);
    const [engine] = await startTemporalCluster(scope, {
      ...{ binaries, postgres, servers: 1, shards: SHARDS, dynamicConfig: DYNAMIC_CONFIG },
    });
    if (engine === undefined) throw new Error('no Temporal server was started');
    return { engine, engineStore: postgres };
  },
};

/** Starts the servers that all simulations of this process share. */
export async function startServers(
  scope: Scope,
  say: Say,
  store: EngineStore = 'file',
): Promise<SimulationServers> {
  const starting = [startDurablePostgres(scope, say), ENGINES[store](scope, say)] as const;
  await Promise.allSettled(starting);
  const [journal, { engine, engineStore }] = await Promise.all(starting);
  await registerSearchAttributes(engine.address);
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    // At level WARN, the core logs a line for each replayed history of an open run.
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  });
  let journals = 0;
  return {
    ...{ engine, journal, engineStore },
    newJournal: async () => {
      journals += 1;
      const url = await journal.createDatabase(`giro_${journals}`);
      await migrateJournal(url);
      return url;
    },
  };
}

export async function openSystem(
  scope: Scope,
  servers: SimulationServers,
  { isEncrypted, isSigned }: Pick<Plan, 'isEncrypted' | 'isSigned'>,
): Promise<SimulatedSystem> {
  const temporalAddress = servers.engine.address;
  const databaseUrl = await servers.newJournal();
  const taskQueue = `giro-simulate-${randomBytes(6).toString('hex')}`;
  const keys = isEncrypted ? newKeys() : null;
  const signing = isSigned ? newSigning(OPERATORS) : null;
  const env = scope.own(
    await startGiroEnvironment({
      ...{ temporalAddress, databaseUrl, taskQueue, workflowBundlePath: bundleOf(keys) },
      ...(keys === null ? {} : { keyRing: keys.whole }),
      ...(signing === null ? {} : { signOrder: signing.signOrder }),
    }),
    (it) => it.close(),
  );
  const access = tokenAccess(env.bank, BANK_TOKEN);
  return { env, access, temporalAddress, databaseUrl, taskQueue, servers, keys, signing };
}

function newKeys(): SimulationKeys {
  const first = newKeyRing();
  const { ring, id } = withFreshKey(first);
  const whole = withActive(ring, first.active);
  const other = withActive(ring, id);
  if (whole === null || other === null) throw new Error('a key of the ring is missing');
  return { whole, lost: { ...other, keys: new Map([...other.keys].filter(([name]) => name === id)) } };
}
