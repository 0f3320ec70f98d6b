import type { VariableSpec } from './variable-spec';

const SECTION = 'Not in this version';

/** Settings of parts that this version does not have: set → a warning. */
const unused = (meaning: string, defaultText: string | null = null) =>
  ({
    section: SECTION,
    default: defaultText,
    allowed: 'not read',
    meaning,
    shown: 'never',
    stage: 'unused',
  }) as const satisfies VariableSpec;

/** Names that the public contract reserves for parts still to come. */
export const LATER_VARIABLES = {
  BANK_AUTH_STYLE_KYC: unused('identity verification: style of the Authorization header', 'raw'),
  BANK_KYC_METHOD: unused('identity verification: HTTP method', 'GET'),
  RECONCILE_MAX_RPS: unused('reconciliation: calls a second', '10'),
  POLL_KYC: unused('identity verification: first gap', '1m'),
  POLL_KYC_MAX: unused('identity verification: longest gap', '15m'),
  KYC_STATUS_MAP: unused('identity verification: what the words mean', 'Pendiente=pending'),
  KYC_STORE: unused('identity verification: what is kept', 'none'),
  ATTENTION_AFTER_KYC: unused('identity verification: flagged after that', '7d'),
};
