export const SECTIONS = [
  'Process',
  'Tracing',
  'Temporal',
  'Journal',
  'Encryption',
  'Bank',
  'Cadence',
  'Orders',
  'Webhooks',
  'Verifications',
] as const;
export type Section = (typeof SECTIONS)[number];

/** One variable of the environment, as people need to know it. */
export interface VariableSpec {
  readonly section: Section;
  /** As one would write it; null: none. */
  readonly default: string | null;
  /** What may stand there: printed after `allowed:`. */
  readonly allowed: string;
  readonly meaning: string;
  /** How an error may show what it holds. Default `value`; `url` hides credentials and query. */
  readonly shown?: 'value' | 'url' | 'never';
}
