import { createJournal } from '../journal/create-journal';
import { JournalNotReady, JournalUnavailable } from '../journal/errors';
import { well, wrong } from './finding';
import type { Check } from './finding';

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
