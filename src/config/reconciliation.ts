import { MAX_RPS } from './bank';
import { duration, wholeNumber } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

export interface ReconciliationConfig {
  /** Questions a second to the bank from one worker; 0: no limit but `BANK_MAX_RPS`. */
  readonly maxRps: number;
  /** What runs looked at and saw is kept for so long. */
  readonly keepMs: number;
}

/** The journal refuses to let go of younger rows. */
const KEEP_MIN_MS = 31 * 86_400_000;

export const RECONCILIATION = variables('Bank', {
  RECONCILE_MAX_RPS: {
    ...wholeNumber(0, MAX_RPS),
    default: '10',
    meaning:
      'of these, questions a second that reconciliations ask from one worker; 0: no limit but BANK_MAX_RPS',
  },
  RECONCILE_KEEP: {
    ...duration({ minMs: KEEP_MIN_MS }),
    default: '90d',
    meaning: 'what reconciliations looked at and saw, and lines of statements, are deleted after that',
  },
});

export const readReconciliation = (reader: SettingsReader): ReconciliationConfig => ({
  maxRps: reader.read(RECONCILIATION.RECONCILE_MAX_RPS),
  keepMs: reader.read(RECONCILIATION.RECONCILE_KEEP),
});
