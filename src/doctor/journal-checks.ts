import { checkJournal } from '../journal/check-journal';
import { warning, well, wrong } from './check-result';
import type { Check, Judgement } from './check-result';
import { createJournal } from '../journal/create-journal';
import { JournalNotReady, JournalUnavailable } from '../journal/errors';
import type { SendingState } from '../journal/statements/sending';
import { excessOf, roleOf, readLogin } from '../journal/login';

const REMEDY =
  'run setup with a login that owns the database; if another build created the journal, run that build';

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

/** A login should have only the powers of its process: whoever steals the login gets all its powers. */
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
      return wrong('the journal gave no answer', 'fix what check journal reports');
    }
  },
});

const OWN_LOGINS = 'give each process a login that is a member of its own role alone (docs/security.md)';

/**
 * The emergency brake. Somebody set it on purpose, but the check still reports it: no order leaves until the brake is
 * released.
 */
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
      return withoutAnswer(error, databaseUrl);
    }
  },
});

/**
 * The result for a login that may not read this: callers and receivers lack rights that workers and operators have.
 * Rethrows any error that is not the journal's.
 */
export async function withoutAnswer(error: unknown, databaseUrl: string): Promise<Judgement> {
  if (!(error instanceof JournalUnavailable || error instanceof JournalNotReady)) throw error;
  const isReached = error instanceof JournalNotReady;
  const role = isReached ? await roleOfLogin(databaseUrl).catch(() => null) : null;
  return role === 'giro_client' || role === 'giro_receiver'
    ? warning(`not checked: ${role} may not read it`, 'run doctor with the login of an operator or a worker')
    : wrong('the journal gave no answer', 'fix what check journal reports');
}

async function sendingState(databaseUrl: string): Promise<SendingState> {
  const identity = await roleOfLogin(databaseUrl);
  const { journal, close } = createJournal(databaseUrl, { poolMax: 1, identity });
  try {
    return await journal.sendingState();
  } finally {
    await close();
  }
}

/** `doctor` may run with the login of any process. */
export const roleOfLogin = async (databaseUrl: string) =>
  roleOf(await readLogin(databaseUrl)) ?? 'giro_runtime';
