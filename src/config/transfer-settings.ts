import type { TransferSettings } from '../domain/transfer/settings';
import { cadence, readSandbox } from './bank-address';
import { DECISION_SIGNERS } from './decision-signers';
import { OPERATOR_RULE, isOperator } from '../domain/operator';
import { accept, duration, listOf, noted, refuse } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** The bank's rule: every 5 seconds while active, and more than 10 minutes apart while delayed. */
const POLL_ACTIVE_MIN_MS = 5_000;
const POLL_DELAYED_MIN_MS = 600_001;

/** A look-up is a local activity: while it runs, queries and updates of that workflow wait. */
const LOOKUP_TIMEOUT_MAX_MS = 7_000;
const CREATE_TIMEOUT_MAX_MS = 600_000;

export const TIMEOUTS = variables('Bank', {
  BANK_TIMEOUT_CREATE: {
    ...duration({ maxMs: CREATE_TIMEOUT_MAX_MS }),
    default: '30s',
    meaning: 'longest time that one create may take',
  },
  BANK_TIMEOUT: {
    ...duration({ maxMs: LOOKUP_TIMEOUT_MAX_MS }),
    default: '5s',
    meaning: 'longest time that one look-up may take; queries of its workflow wait meanwhile',
  },
});

export const CADENCE = variables('Cadence', {
  POLL_ACTIVE: {
    ...cadence(POLL_ACTIVE_MIN_MS),
    default: '5s',
    meaning: 'gap between requests while CREATED or IN_PROGRESS',
  },
  POLL_DELAYED: {
    ...cadence(POLL_DELAYED_MIN_MS),
    allowed: 'a duration of more than 10m',
    default: '10m30s',
    meaning: 'gap between requests while DELAYED',
  },
  RESEND_WINDOW: {
    ...noted(duration({ minMs: 0 }), '; 0s = never again'),
    default: '1h',
    meaning: 'time after the first create within which the same bytes may be sent again',
  },
  ATTENTION_AFTER_ACTIVE: {
    ...duration(),
    default: '15m',
    meaning: 'time in CREATED or IN_PROGRESS after which a transfer is flagged; the transfer continues',
  },
  ATTENTION_AFTER_DELAYED: {
    ...duration(),
    default: '24h',
    meaning: 'time in DELAYED after which a transfer is flagged; the transfer continues',
  },
});

export const DECISIONS = variables('Orders', {
  DECIDERS: {
    parse: listOf((name) => (isOperator(name) ? accept(name) : refuse(OPERATOR_RULE))),
    allowed: 'names of 1 to 100 characters of A-Za-z0-9._@+-, comma-separated',
    meaning:
      'operators whose decisions count; none = any name, but decisions that take two are refused (unless GIRO_SANDBOX=1). ' +
      'Names are not authenticated; to authenticate operators, set DECIDERS_FILE instead (docs/signatures.md)',
    shown: 'never',
  },
});

export function readTransferSettings(reader: SettingsReader): TransferSettings {
  const signsDecisions = reader.isSet(DECISION_SIGNERS.DECIDERS_FILE);
  if (signsDecisions)
    reader.refuseIfSet([DECISIONS.DECIDERS], 'DECIDERS_FILE is set, which lists the operators');
  return {
    pollActiveMs: reader.read(CADENCE.POLL_ACTIVE),
    pollDelayedMs: reader.read(CADENCE.POLL_DELAYED),
    resendWindowMs: reader.read(CADENCE.RESEND_WINDOW),
    attentionAfterActiveMs: reader.read(CADENCE.ATTENTION_AFTER_ACTIVE),
    attentionAfterDelayedMs: reader.read(CADENCE.ATTENTION_AFTER_DELAYED),
    ...readTimeouts(reader),
    deciders: reader.read(DECISIONS.DECIDERS),
    needsDeciders: !readSandbox(reader),
    ...(signsDecisions ? { signsDecisions: true as const } : {}),
  };
}

export const readTimeouts = (reader: SettingsReader) => ({
  createTimeoutMs: reader.read(TIMEOUTS.BANK_TIMEOUT_CREATE),
  lookupTimeoutMs: reader.read(TIMEOUTS.BANK_TIMEOUT),
});
