/** A record that is not what it should be by what else the journal holds. No personal value is in it. */
export interface Difference {
  /** Word of the check that it fails. */
  readonly rule: string;
  /** Of schema `giro`. */
  readonly table: string;
  /** Null: the record belongs to no single transfer. */
  readonly originId: number | null;
  /** Which record of the transfer or of the chain, such as `request 3` or `link 12`; null: it has one. */
  readonly record: string | null;
  /** What the record says, and what it should say; null: nothing. */
  readonly kept: string | null;
  readonly expected: string | null;
}
