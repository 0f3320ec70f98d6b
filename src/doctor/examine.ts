import type { BankDialect } from '../bank/dialect';
import type { AnswerCodes } from '../bank/http/answer-codes';
import type { BankConnection } from '../bank/connection';
import type { KeyRing } from '../codec/key-ring';
import type { Transport } from '../config/plaintext';
import type { Config, Need, Secrets } from '../config/settings';
import { maySignAt } from '../decisions/decision-signature';
import { operatorKey } from '../domain/operator';
import { lacksDeciders } from '../domain/transfer/settings';
import type { TransferSettings } from '../domain/transfer/settings';
import { readServerClock } from '../journal/server';
import { bankLookupCheck } from './bank-lookup-check';
import { bankTlsCheck, certificatesCheck } from './bank-tls-check';
import { bankTokenCheck } from './bank-token-check';
import { clockCheck } from './clock-check';
import { journalCheck, loginCheck, sendingCheck } from './journal-checks';
import { engineChecks } from './engine-checks';
import { durabilityCheck } from './durability-check';
import { orderProofsCheck } from './order-proofs-check';
import { runChecks, warning, well } from './check-result';
import type { Check, CheckResult } from './check-result';
import { createProbe } from './tls-probe';

export const DOCTOR_NEEDS = [
  'temporal',
  'journal',
  'bank',
  'orderSigners',
  'transferSettings',
  'decisionSigners',
] as const satisfies readonly Need[];
type Needed = (typeof DOCTOR_NEEDS)[number];

export interface BankUnderExamination {
  readonly connection: BankConnection;
  readonly dialect: BankDialect;
  /** `BANK_NOT_FOUND_…` */
  readonly notFound: AnswerCodes;
  /** The last failure of the token service, as a code. */
  readonly lastTokenFailure: () => string | null;
}

/** Checks every part that Giro needs, in this order; starts and changes nothing. */
export async function examine(
  config: Pick<Config, Needed>,
  secrets: Pick<Secrets, Needed & keyof Secrets>,
  { connection, dialect, notFound, lastTokenFailure }: BankUnderExamination,
): Promise<readonly CheckResult[]> {
  let bankClock: { readonly theirsMs: number; readonly oursMs: number } | null = null;
  const probe = createProbe(connection);
  const engine = engineChecks(config.temporal, secrets.temporal);
  const checks = [
    ...engine.checks,
    journalCheck(secrets.journal.databaseUrl),
    loginCheck(secrets.journal.databaseUrl),
    durabilityCheck(secrets.journal.databaseUrl),
    sendingCheck(secrets.journal.databaseUrl),
    transportCheck(config),
    codecCheck(secrets.journal.keyRing),
    decidersCheck(
      config.transferSettings,
      config.decisionSigners?.value
        .filter((signer) => maySignAt(signer, Date.now()))
        .map(({ principals }) => principals[0] ?? '') ?? null,
    ),
    orderProofsCheck({ ...secrets.journal, signers: config.orderSigners?.value ?? null }),
    bankTlsCheck(connection, probe),
    bankTokenCheck(connection, secrets.bank.token, lastTokenFailure),
    bankLookupCheck({
      ...{ connection, notFound, dialect: dialect.movements },
      authStyle: config.bank.authStyleTransfers,
      timeoutMs: config.bank.lookupTimeoutMs,
      onDate: (date) => {
        // The header has whole seconds: assume the middle of the second.
        const theirsMs = Date.parse(date) + 500;
        if (!Number.isNaN(theirsMs)) bankClock = { theirsMs, oursMs: Date.now() };
      },
    }),
    certificatesCheck(connection, probe),
    clockCheck({ journal: () => readServerClock(secrets.journal.databaseUrl), bank: () => bankClock }),
  ];
  try {
    return await runChecks(checks);
  } finally {
    await engine.close();
  }
}

const GUARDED: Readonly<Record<Transport, string>> = {
  loopback: 'this machine itself',
  'verified-tls': 'TLS, verified',
  plaintext:
    'not protected: anybody on the network path can read and change the traffic (permitted by ALLOW_PLAINTEXT)',
};

/** The configuration has already refused an unencrypted connection that is not allowed. */
const transportCheck = (config: Pick<Config, 'journal' | 'temporal'>): Check => ({
  name: 'transport',
  run: () =>
    Promise.resolve(
      well(
        `PostgreSQL: ${GUARDED[config.journal.transport]}; Temporal: ${GUARDED[config.temporal.transport]}`,
      ),
    ),
});

/** The configuration has read the key ring already; this check only reports what the ring means. */
const codecCheck = (keyRing: KeyRing | null): Check => ({
  name: 'codec',
  run: () =>
    Promise.resolve(
      keyRing === null
        ? warning(
            'payloads and orders are in clear; without ORDER_SIGNERS_FILE, a forged row of the journal is paid if it keeps the limits on orders',
            'set CODEC_KEYS_FILE',
          )
        : well(
            `payloads and orders are encrypted with key ${keyRing.active}; keys that are read: ${keyRing.keys.size}`,
          ),
    ),
});

/**
 * Whether two operators are configured; without them a transfer that needs two waits. `signers`: one name for each line
 * of DECIDERS_FILE that counts today, because the file also keeps those who have left; null: there is no such file.
 */
const decidersCheck = (
  settings: Pick<TransferSettings, 'deciders' | 'needsDeciders' | 'signsDecisions'>,
  signers: readonly string[] | null,
): Check => ({
  name: 'deciders',
  run: () =>
    Promise.resolve(
      lacksDeciders(settings) || isAlone(signers ?? settings.deciders)
        ? warning(
            'nobody can decide what takes two operators',
            'set DECIDERS to two names or more, or DECIDERS_FILE with two operators whose keys are valid now',
          )
        : well(
            settings.signsDecisions === true
              ? 'decisions are signed (DECIDERS_FILE)'
              : settings.deciders === null
                ? 'DECIDERS is not set: any name decides, in this sandbox'
                : `${settings.deciders.length} operators may decide`,
          ),
    ),
});

/** One operator, under however many spellings. Null: any name decides. */
const isAlone = (names: readonly string[] | null): boolean =>
  names !== null && new Set(names.map(operatorKey)).size < 2;
