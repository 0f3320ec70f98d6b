import type { KeyRing } from '../codec/key-ring';
import { openDatabase } from './database';
import type { DatabaseOptions } from './database';
import { bindJournal } from './journal';
import type { Journal } from './journal';

export interface JournalOptions extends DatabaseOptions {
  /**
   * The keys that seal orders, counterparties of statements, full answers of verifications, and values that differ.
   * Null (default): orders and counterparties are stored in clear, the others not at all. Receivers seal notifications.
   */
  readonly keyRing?: KeyRing | null;
  /** With a key ring an order in clear is trusted only if it was opened before this time; null (default): never. */
  readonly clearBefore?: Date | null;
}

export interface OpenJournal {
  readonly journal: Journal;
  readonly close: () => Promise<void>;
}

/** The journal in the PostgreSQL database at `url`, under the role `identity`. Connects with the first statement. */
export function createJournal(
  url: string,
  { keyRing = null, clearBefore = null, ...options }: JournalOptions = {},
): OpenJournal {
  const database = openDatabase(url, options);
  return { journal: bindJournal(database, { keyRing, clearBefore }), close: () => database.close() };
}
