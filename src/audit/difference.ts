/** A record that contradicts other records of the journal. Contains no personal data. */
export interface Difference {
  /** Name of the broken rule. */
  readonly rule: string;
  /** Table of schema `giro`. */
  readonly table: string;
  /** Null: the record does not belong to a single transfer. */
  readonly originId: number | null;
  /** Which record of the transfer or of the chain, such as `request 3` or `link 12`; null: the table has only one. */
  readonly record: string | null;
  /** What the record says, and what it should say; null: nothing. */
  readonly kept: string | null;
  readonly expected: string | null;
}
