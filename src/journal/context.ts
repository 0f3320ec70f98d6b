import type { KeyRing } from '../codec/key-ring';
import type { AnswerCipher, DifferenceCipher, OrderCipher } from './ciphers';
import type { SeenBrake } from './seen-brake';

/** What every statement of the journal needs. */
export interface JournalContext {
  readonly database: Database;
  readonly orders: OrderCipher;
  /** Full answers of the verification query. */
  readonly answers: AnswerCipher;
  /** Accounts and tax ids in an answer that differ from the order. */
  readonly differences: DifferenceCipher;
  /**
   * The journal's keys: they seal counterparties of statements, and open notifications that receivers sealed. Null:
   * counterparties are stored in clear, and sealed notifications do not open.
   */
  readonly keyRing: KeyRing | null;
  /** The newest change of the emergency brake that this process has seen. A failover may lose it. */
  readonly brake: SeenBrake;
}

/** One round trip: a statement that commits by itself, prepared once for each connection under its name. */
export interface Database {
  /** `Row` is what the statement selects, in the types of pg: bigint as text, timestamptz as Date, jsonb as value. */
  run<Row extends object>(
    statement: Statement,
    /** A function is called when the statement is sent. */
    values: readonly unknown[] | (() => readonly unknown[]),
    options?: RunOptions,
  ): Promise<Row[]>;
}

export interface RunOptions {
  /** Called when the statement is sent; before that it may have waited for a connection. */
  readonly onSend?: () => void;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
  /** True: the statement is planned anew for its values each time, because its best plan depends on them. */
  readonly replan?: true;
}
