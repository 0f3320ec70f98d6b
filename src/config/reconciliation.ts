import { wholeNumber } from './parsers';
import type { SettingsReader } from './reader';

export interface ReconciliationConfig {
  /** Questions a second to the bank from one worker; 0: no limit but `BANK_MAX_RPS`. */
  readonly maxRps: number;
}

const MAX_RPS = 100_000;

export function readReconciliation(reader: SettingsReader): ReconciliationConfig {
  return { maxRps: reader.withDefault('RECONCILE_MAX_RPS', wholeNumber(0, MAX_RPS)) };
}
