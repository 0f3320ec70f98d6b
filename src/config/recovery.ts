import { wholeNumber } from './parsers';
import type { SettingsReader } from './reader';

export interface RecoveryConfig {
  /** Lost runs that one recovery starts again at most. */
  readonly startsMax: number;
}

/** Their ids are the result of workflow `recovery`: 5,000 of them are below 100 KB. */
const STARTS_MAX_LIMIT = 5_000;

export function readRecovery(reader: SettingsReader): RecoveryConfig {
  return { startsMax: reader.withDefault('RECOVERY_MAX_STARTS', wholeNumber(1, STARTS_MAX_LIMIT)) };
}
