/** A record that contradicts other records of the journal. Contains no personal data. */
export interface Difference {
  /** Name of the rule that it breaks. */
  readonly rule: string;
  /** Of schema `giro`. */
  readonly table: string;
  /** Null: the record belongs to no single transfer. */
  readonly originId: number | null;
  /**
   * Which record of the transfer or of the chain, such as `request 3` or `link 12`; null: the only one of its table.
   */
  readonly record: string | null;
  /** What the record says, and what it should say; null: nothing. */
  readonly kept: string | null;
  readonly expected: string | null;
}
