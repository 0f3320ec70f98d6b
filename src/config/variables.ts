import { NOT_FOUND, REFUSED } from './answer-rule';
import { BANK_RATE, BANK_TRANSFERS, BANK_VERIFICATIONS, BANK_WEBHOOKS } from './bank';
import { BANK_ADDRESS, SANDBOX } from './bank-address';
import { BANK_HMAC, BANK_HMAC_TEMPLATE } from './bank-hmac';
import { BANK_TLS } from './bank-tls';
import { BANK_TOKEN_SERVICE, BANK_TOKEN_SOURCES } from './bank-token';
import { CODEC } from './codec';
import { CODEC_SERVER } from './codec-server';
import { DECISION_SIGNERS } from './decision-signers';
import { FURTHER_HEADERS } from './headers';
import { JOURNAL } from './journal';
import { ORDERS } from './order-limits';
import { ORDER_SIGNERS } from './order-signers';
import { PLAINTEXT } from './plaintext';
import { PROCESS } from './process';
import { RECEIVER } from './receiver';
import { RECONCILIATION } from './reconciliation';
import { TEMPORAL, TEMPORAL_PROFILES } from './temporal';
import { CLIENT_CERT, CLIENT_KEY, SERVER_CA_CERT, TEMPORAL_TLS_NAME } from './temporal-tls';
import { TRACING } from './tracing';
import { CADENCE, DECISIONS, TIMEOUTS } from './transfer-settings';
import { SECTIONS } from './variable';
import type { Variable } from './variable';
import { VERIFICATIONS } from './verifications';
import { WEBHOOK_READING } from './webhook-reading';
import { WEBHOOK_HMAC, WEBHOOK_VERIFICATION } from './webhook-verification';
import { WEBHOOKS } from './webhooks';

/** Every group of variables, in the order in which people read about them. */
const GROUPS: readonly Readonly<Record<string, Variable>>[] = [
  PROCESS,
  PLAINTEXT,
  SANDBOX,
  TRACING,
  TEMPORAL,
  SERVER_CA_CERT,
  CLIENT_CERT,
  CLIENT_KEY,
  TEMPORAL_TLS_NAME,
  TEMPORAL_PROFILES,
  JOURNAL,
  CODEC,
  CODEC_SERVER,
  BANK_ADDRESS,
  BANK_TLS,
  BANK_TOKEN_SOURCES,
  BANK_TOKEN_SERVICE,
  BANK_HMAC,
  BANK_HMAC_TEMPLATE,
  BANK_TRANSFERS,
  FURTHER_HEADERS,
  TIMEOUTS,
  BANK_RATE,
  RECONCILIATION,
  REFUSED,
  NOT_FOUND,
  CADENCE,
  ORDERS,
  ORDER_SIGNERS,
  DECISIONS,
  DECISION_SIGNERS,
  RECEIVER,
  WEBHOOK_VERIFICATION,
  WEBHOOK_HMAC,
  WEBHOOK_READING,
  WEBHOOKS,
  BANK_WEBHOOKS,
  BANK_VERIFICATIONS,
  VERIFICATIONS,
];

const all = GROUPS.flatMap((group) => Object.values(group));

/**
 * All variables, section by section. The reference, `.env.example` and the warnings about misspelt names use this list.
 */
export const VARIABLES: readonly Variable[] = SECTIONS.flatMap((section) =>
  all.filter((variable) => variable.section === section),
);
