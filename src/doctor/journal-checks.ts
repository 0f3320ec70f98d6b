import { checkJournal } from '../journal/check-journal';
import { warning, well, wrong } from './finding';
import type { Check } from './finding';
import { createJournal } from '../journal/create-journal';
import { JournalNotReady, JournalUnavailable } from '../journal/errors';
import type { SendingState } from '../journal/statements/sending';
import { excessOf, roleOf, readLogin } from '../journal/login';

const REMEDY = 'run setup with a login that owns the database; when another build made it, run that build';

/** The journal: reachable, at the version of this program, and open to the role of its login. */
export const journalCheck = (databaseUrl: string): Check => ({
  name: 'journal',
  async run() {
    try {
      const journal = await checkJournal(databaseUrl, await roleOfLogin(databaseUrl));
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

/** A login has the powers of its process and no more: what it is beyond that, whoever steals it is too. */
export const loginCheck = (databaseUrl: string): Check => ({
  name: 'login',
  async run() {
    try {
      const login = await readLogin(databaseUrl);
      const role = roleOf(login);
      const excess = excessOf(login, role ?? 'login');
      if (excess !== null) return warning(`the login of DATABASE_URL ${excess}`, OWN_LOGINS);
      return role === null
        ? wrong('the login of DATABASE_URL is a member of no role of Giro', OWN_LOGINS)
        : well(`works as ${role} alone`);
    } catch (error) {
      if (!(error instanceof JournalUnavailable || error instanceof JournalNotReady)) throw error;
      return wrong('the journal does not tell', 'mend what check journal says');
    }
  },
});

const OWN_LOGINS = 'give each process a login that is a member of its own role alone (docs/security.md)';

/** The emergency brake: stopped on purpose, and still a finding, for no order leaves until somebody ends it. */
export const sendingCheck = (databaseUrl: string): Check => ({
  name: 'sending',
  async run() {
    try {
      const { stopped, since, operator, reason } = await sendingState(databaseUrl);
      if (!stopped) return well('creates go out');
      return wrong(
        `stopped since ${String(since)} by ${String(operator)}: ${String(reason)}`,
        'when its cause is gone: giro sending go --reason …',
      );
    } catch (error) {
      if (!(error instanceof JournalUnavailable || error instanceof JournalNotReady)) throw error;
      return wrong('the journal does not tell', 'mend what check journal says');
    }
  },
});

async function sendingState(databaseUrl: string): Promise<SendingState> {
  const identity = await roleOfLogin(databaseUrl);
  const { journal, close } = createJournal(databaseUrl, { poolMax: 1, identity });
  try {
    return await journal.sendingState();
  } finally {
    await close();
  }
}

/** `doctor` runs beside any process, with the login of that. */
export const roleOfLogin = async (databaseUrl: string) =>
  roleOf(await readLogin(databaseUrl)) ?? 'giro_runtime';
