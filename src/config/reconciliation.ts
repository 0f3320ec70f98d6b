import { duration, wholeNumber } from './parsers';
import type { SettingsReader } from './reader';

export interface ReconciliationConfig {
  /** Questions a second to the bank from one worker; 0: no limit but `BANK_MAX_RPS`. */
  readonly maxRps: number;
  /** What runs looked at and saw is kept for so long. */
  readonly keepMs: number;
}

/** The journal refuses to let go of younger rows. */
const KEEP_MIN_MS = 31 * 86_400_000;

const MAX_RPS = 100_000;

export function readReconciliation(reader: SettingsReader): ReconciliationConfig {
  return {
    maxRps: reader.withDefault('RECONCILE_MAX_RPS', wholeNumber(0, MAX_RPS)),
    keepMs: reader.withDefault('RECONCILE_KEEP', duration({ minMs: KEEP_MIN_MS })),
  };
}
