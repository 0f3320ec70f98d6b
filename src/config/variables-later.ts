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
  RECONCILE_MAX_RPS: unused('reconciliation: calls a second', '10'),
};
