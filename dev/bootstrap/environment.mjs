import { devNull } from 'node:os';

/** Variables that configure Giro, its servers or proxies. Demo and tests set their own values. */
const CONFIGURATION = [
  /^(DATABASE_URL|RESEND_WINDOW|CHECK_DIGITS|CONCEPTS|AMOUNT_MAX|FROM_ACCOUNTS|DESCRIPTION_MAX|DECIDERS|DECIDERS_FILE|ORDER_SIGNERS_FILE|ALLOW_PLAINTEXT|LOG_LEVEL)$/,
  /^(GIRO|BANK|RECONCILE|RECOVERY|POLL|KYC|ORIGIN_ID|ATTENTION_AFTER|CODEC|RECEIVER|WEBHOOKS?|TEMPORAL)_/,
  /^PG[A-Z]/,
  /^OTEL_/,
  /^(HTTP|HTTPS|ALL|NO|GRPC|FTP)_PROXY$/i,
];

/** Programs that the caller built (docs/deployment.md), and switches of the tests. They configure no server. */
const KEPT = new Set([
  'TEMPORAL_SERVER_PATH',
  'TEMPORAL_SQL_TOOL_PATH',
  'GIRO_OUTAGE_MS',
  'GIRO_PROPERTY_RUNS',
  'GIRO_RECORD_HISTORIES',
  'GIRO_SEED',
  'GIRO_TRY_FULL_DISK',
  'GIRO_TRY_GO',
  'GIRO_UPDATE_DOCS',
  'GIRO_UPDATE_SCHEMA',
]);

/** Names of `env` that must not reach demo, tests, bench and simulation. */
export function foreignSettings(env) {
  return Object.keys(env).filter(
    (name) => !KEPT.has(name) && CONFIGURATION.some((pattern) => pattern.test(name)),
  );
}

/** Leaves this process and its children no configuration but `own`, and no Temporal profile file. */
export function useOwnEnvironment(own) {
  for (const name of foreignSettings(process.env)) delete process.env[name];
  // An empty file, because without the variable the SDK reads the user's profile file.
  Object.assign(process.env, { TEMPORAL_CONFIG_FILE: devNull }, own);
}
