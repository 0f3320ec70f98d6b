import type { VerificationSettings } from '../domain/verification/settings';
import type { StatusMap } from '../domain/verification/status-map';
import { duration, oneOf } from './parsers';
import type { SettingsReader } from './reader';
import { readSandbox } from './sandbox';
import { statusMapText } from './status-map';

export interface VerificationConfig {
  readonly settings: VerificationSettings;
  readonly statusMap: StatusMap;
  /** `KYC_STORE=encrypted`. */
  readonly keepsAnswers: boolean;
}

/** Below that a slip of the pen (`1ms` for `1m`) would flood the bank; a timer is no more exact either. */
const POLL_MIN_MS = 1_000;

export function readVerifications(reader: SettingsReader): VerificationConfig {
  const minMs = readSandbox(reader) ? 1 : POLL_MIN_MS;
  const settings = {
    pollMs: reader.withDefault('POLL_KYC', duration({ minMs })),
    pollMaxMs: reader.withDefault('POLL_KYC_MAX', duration({ minMs })),
    attentionAfterMs: reader.withDefault('ATTENTION_AFTER_KYC', duration()),
  };
  // The default of the greater one gives way, so that one may lengthen POLL_KYC alone.
  if (settings.pollMaxMs < settings.pollMs && reader.isSet('POLL_KYC_MAX')) {
    reader.problem('POLL_KYC_MAX', 'is shorter than POLL_KYC');
  }
  const keepsAnswers = reader.withDefault('KYC_STORE', oneOf(['none', 'encrypted'])) === 'encrypted';
  if (keepsAnswers && !reader.isSet('CODEC_KEYS_FILE')) {
    reader.problem('KYC_STORE', 'needs CODEC_KEYS_FILE, which is not set');
  }
  return { settings, statusMap: reader.withDefault('KYC_STATUS_MAP', statusMapText), keepsAnswers };
}
