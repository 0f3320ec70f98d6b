import { JournalStatementError } from './errors';

/** Unique violation, and the guards' own "lost a race". A statement that ends like this has written nothing. */
const LOST = new Set(['23505', 'GR001']);

/** Against one rival session, a second try is enough; more tries are needed only against many. */
const ATTEMPTS_MAX = 5;

/**
 * Runs a statement again when another session won the row. A statement sees only what was committed when it began, so
 * only the next statement sees the winner's row. `attempt` returns null for "lost".
 */
export async function againWhenLost<T>(what: string, attempt: () => Promise<T | null>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      const found = await attempt();
      if (found !== null) return found;
      if (tried === ATTEMPTS_MAX)
        throw new Error(`journal: ${what}: lost the race against other sessions ${tried} times`);
    } catch (error) {
      const lost = error instanceof JournalStatementError && LOST.has(error.sqlState);
      if (!lost || tried === ATTEMPTS_MAX) throw error;
    }
  }
}
