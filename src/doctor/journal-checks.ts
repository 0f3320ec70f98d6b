import { checkJournal } from '../journal/check-journal';
import { well, wrong } from './finding';
import type { Check } from './finding';
import { createJournal } from '../journal/create-journal';
import { JournalNotReady, JournalUnavailable } from '../journal/errors';

const REMEDY = 'run setup with a login that owns the database; when another build made it, run that build';

/** The journal: reachable, at the version of this program, and open to its run-time role. */
export const journalCheck = (databaseUrl: string): Check => ({
  name: 'journal',
  async run() {
    try {
      const journal = await checkJournal(databaseUrl);
      if (!journal.ready) return wrong(journal.problem, REMEDY);
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

/** The emergency brake: stopped on purpose, and still a finding, for no order leaves until somebody ends it. */
export const sendingCheck = (databaseUrl: string): Check => ({
  name: 'sending',
  async run() {
    const { journal, close } = createJournal(databaseUrl, { poolMax: 1 });
    try {
      const { stopped, since, operator, reason } = await journal.sendingState();
      if (!stopped) return well('creates go out');
      return wrong(
        `stopped since ${String(since)} by ${String(operator)}: ${String(reason)}`,
        'when its cause is gone: giro sending go --reason …',
      );
    } catch (error) {
      if (!(error instanceof JournalUnavailable || error instanceof JournalNotReady)) throw error;
      return wrong('the journal does not tell', 'mend what check journal says');
    } finally {
      await close();
    }
  },
});
