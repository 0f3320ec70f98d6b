/** Frontend, history, matching and worker of one server; each opens two pools. */
export const SERVICES_OF_A_SERVER = 4;

export interface TemporalStores {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Cannot be changed later. */
  readonly shards: number;
  /** Connections of each of the four services to the two databases. */
  readonly connections: { readonly store: number; readonly visibility: number };
  readonly bindOnIp: string;
  /** The server does not start without the file. */
  readonly dynamicConfigFile: string;
}

/**
 * The environment of a Temporal server: the variables that its built-in configuration reads (`render-config` of the
 * server prints the result). docker-compose.yml sets the same variables, as a test checks; `npm run topology` starts
 * servers with them.
 */
export function temporalEnvironment(stores: TemporalStores): Record<string, string> {
  const { store, visibility } = stores.connections;
  return {
    DB: 'postgres12_pgx',
    DB_PORT: String(stores.port),
    POSTGRES_SEEDS: stores.host,
    POSTGRES_USER: stores.user,
    POSTGRES_PWD: stores.password,
    DBNAME: 'temporal',
    VISIBILITY_DBNAME: 'temporal_visibility',
    SQL_MAX_CONNS: String(store),
    SQL_MAX_IDLE_CONNS: String(store),
    SQL_VIS_MAX_CONNS: String(visibility),
    SQL_VIS_MAX_IDLE_CONNS: String(visibility),
    NUM_HISTORY_SHARDS: String(stores.shards),
    BIND_ON_IP: stores.bindOnIp,
    DYNAMIC_CONFIG_FILE_PATH: stores.dynamicConfigFile,
    // Explicit, because later servers do not start without it or an authorizer.
    TEMPORAL_ALLOW_NO_AUTH: 'true',
  };
}

/** The environment of `temporal-sql-tool`. */
export function sqlToolEnvironment(
  stores: Pick<TemporalStores, 'host' | 'port' | 'user' | 'password'>,
): Record<string, string> {
  return {
    SQL_PLUGIN: 'postgres12_pgx',
    SQL_HOST: stores.host,
    SQL_PORT: String(stores.port),
    SQL_USER: stores.user,
    SQL_PASSWORD: stores.password,
  };
}
