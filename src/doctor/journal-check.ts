import { checkJournal } from '../journal/check-journal';
import { JournalUnavailable } from '../journal/errors';
import { well, wrong } from './finding';
import type { Check } from './finding';

/** The journal: reachable, at the version of this program, and open to its run-time role. */
export const journalCheck = (databaseUrl: string): Check => ({
  name: 'journal',
  async run() {
    try {
      const journal = await checkJournal(databaseUrl);
      if (!journal.ready) return wrong(journal.problem, 'run setup, with a login that owns the database');
      return well(
        journal.newer.length === 0
          ? 'up to date'
          : `up to date; made by a newer version (${journal.newer.join(', ')})`,
      );
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      return wrong(error.message, 'check DATABASE_URL, the network, and that PostgreSQL runs');
    }
  },
});
