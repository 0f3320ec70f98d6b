import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { RULES } from '../../dev/demo/scenarios';
import { startGiroEnvironment } from '../../dev/giro-environment';
import type { GiroEnvironment, GiroEnvironmentOptions } from '../../dev/giro-environment';
import { makeKey } from '../../dev/made-ssh-keys';
import { packageRoot } from '../../dev/package-root';
import { startPostgres } from '../../dev/postgres';
import { Scope } from '../../dev/scope';
import { releaseOnSignals } from '../../dev/signals';
import { registerSearchAttributes, startTemporalServer } from '../../dev/temporal-server';
import { startCodecServer } from '../../src/codec-server/start';
import { readAllowedSigners } from '../../src/decisions/allowed-signers';
import { migrateJournal } from '../../src/journal/migrate';
import { createLogger } from '../../src/telemetry/logger';
import { freshKeyRing } from '../codec/key-rings';
import { quietRuntime } from '../support/quiet-runtime';
import { startCodecGateway } from './codec-gateway';

export interface OperatorUi {
  readonly env: GiroEnvironment;
  /** Another installation, which accepts only decisions that ana and luis have signed with `OPERATOR_KEYS`. */
  readonly signed: GiroEnvironment;
  readonly browser: Browser;
  readonly uiUrl: string;
  /** The address that an operator enters as codec server. */
  readonly codecUrl: string;
  /** Lines of the codec server's log. */
  readonly codecLog: readonly Readonly<Record<string, unknown>>[];
}

export const OPERATOR_KEYS = { ana: makeKey('ssh-ed25519'), luis: makeKey('sk-ssh-ed25519@openssh.com') };
const SIGNERS = readAllowedSigners(
  Object.entries(OPERATOR_KEYS)
    .map(([operator, { type, base64 }]) => `${operator} ${type} ${base64}`)
    .join('\n'),
);

const NAMESPACE = 'default';
const TOKEN = 'a-token-of-this-suite';
const ENCODE_TOKEN = 'a-token-of-the-operators-for-encode';

/** The demo's system with encrypted payloads, its Temporal UI, a codec server and a browser; for all tests of a file. */
export function useOperatorUi(): () => OperatorUi {
  const scope = new Scope();
  let operatorUi: OperatorUi | null = null;
  let letSignalsBe = (): void => undefined;
  beforeAll(async () => {
    quietRuntime();
    letSignalsBe = releaseOnSignals(scope);
    operatorUi = await setUp(scope);
  }, 120_000);
  afterAll(async () => {
    await scope.release();
    letSignalsBe();
  });
  return () => {
    if (operatorUi === null) throw new Error('the UI is there only while tests run');
    return operatorUi;
  };
}

async function setUp(scope: Scope): Promise<OperatorUi> {
  const log = (line: string): void => console.error(`giro: ${line}`);
  const starting = [
    startPostgres({ log }).then((it) => scope.own(it, () => it.stop())),
    startTemporalServer({ ui: true, log }).then((it) => scope.own(it, () => it.stop())),
    launchBrowser().then((it) => scope.own(it, () => it.close())),
  ] as const;
  await Promise.allSettled(starting);
  const [postgres, temporal, browser] = await Promise.all(starting);
  await registerSearchAttributes(temporal.address);
  const keyRing = freshKeyRing('k1');
  if (!SIGNERS.ok) throw new Error(SIGNERS.reason);
  const { signers } = SIGNERS;
  const installation = async (
    name: string,
    options: Pick<GiroEnvironmentOptions, 'decisionSigners'> = {},
  ): Promise<GiroEnvironment> => {
    const databaseUrl = await postgres.createDatabase(name);
    await migrateJournal(databaseUrl);
    const env = await startGiroEnvironment({
      ...{ temporalAddress: temporal.address, databaseUrl, taskQueue: name, keyRing },
      workflowBundlePath: join(packageRoot, 'dist', 'workflow-bundle-encrypted.js'),
      ...{ rules: RULES, ...options },
    });
    scope.own(env, () => env.close());
    await env.startWorker();
    return env;
  };
  const env = await installation('giro');
  const signed = await installation('giro_signed', { decisionSigners: () => signers });
  const uiUrl = temporal.uiUrl ?? '';
  const codecLog: Record<string, unknown>[] = [];
  const codecServer = await startCodecServer({
    ...{ host: '127.0.0.1', port: 0, keyRing, token: TOKEN, origins: [uiUrl], namespace: NAMESPACE },
    ...{ namespaces: [NAMESPACE], encodeToken: ENCODE_TOKEN },
    ...{ requestsPerMinute: 600, trustedHops: 0, operatorHeader: null },
    logger: createLogger({
      level: 'info',
      destination: { write: (line) => codecLog.push(JSON.parse(line) as Record<string, unknown>) },
    }),
  });
  scope.own(codecServer, () => codecServer.close());
  const gateway = await startCodecGateway(codecServer.address, { decode: TOKEN, encode: ENCODE_TOKEN });
  scope.own(gateway, () => gateway.close());
  return { env, signed, browser, uiUrl, codecUrl: gateway.url, codecLog };
}

/** `npm run test:ui` has found the browser. */
function launchBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'];
  if (executablePath === undefined)
    throw new Error('CHROMIUM_PATH is not set: start it by `npm run test:ui`');
  return chromium.launch({
    executablePath,
    // Only pages on loopback: the UI has external links, and browsers look for updates.
    args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--no-proxy-server'],
  });
}
