import type { TransferSettings } from '../domain/transfer/settings';
import { duration, listOf, printable } from './parsers';
import { readSandbox } from './sandbox';
import type { SettingsReader } from './reader';

/** The bank's rule: every 5 seconds while active, at intervals longer than 10 minutes while delayed. */
const POLL_ACTIVE_MIN_MS = 5_000;
const POLL_DELAYED_MIN_MS = 600_001;

/** A look-up is a local activity: while it runs, queries and updates of that workflow wait. */
const LOOKUP_TIMEOUT_MAX_MS = 7_000;
const CREATE_TIMEOUT_MAX_MS = 600_000;

const DECIDER_MAX_LENGTH = 100;

export function readTransferSettings(reader: SettingsReader): TransferSettings {
  const sandbox = readSandbox(reader);
  return {
    pollActiveMs: reader.withDefault('POLL_ACTIVE', duration({ minMs: sandbox ? 1 : POLL_ACTIVE_MIN_MS })),
    pollDelayedMs: reader.withDefault('POLL_DELAYED', duration({ minMs: sandbox ? 1 : POLL_DELAYED_MIN_MS })),
    resendWindowMs: reader.withDefault('RESEND_WINDOW', duration({ minMs: 0 })),
    attentionAfterActiveMs: reader.withDefault('ATTENTION_AFTER_ACTIVE', duration()),
    attentionAfterDelayedMs: reader.withDefault('ATTENTION_AFTER_DELAYED', duration()),
    ...readTimeouts(reader),
    deciders: reader.optional('DECIDERS', listOf(printable(DECIDER_MAX_LENGTH))),
  };
}

export function readTimeouts(reader: SettingsReader): { createTimeoutMs: number; lookupTimeoutMs: number } {
  return {
    createTimeoutMs: reader.withDefault('BANK_TIMEOUT_CREATE', duration({ maxMs: CREATE_TIMEOUT_MAX_MS })),
    lookupTimeoutMs: reader.withDefault('BANK_TIMEOUT', duration({ maxMs: LOOKUP_TIMEOUT_MAX_MS })),
  };
}
