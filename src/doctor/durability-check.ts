import { JournalNotReady, JournalUnavailable } from '../journal/errors';
import type { Durability } from '../journal/server';
import { readDurability } from '../journal/server';
import { well, wrong } from './check-result';
import type { Check, Judgement } from './check-result';

/** Whether PostgreSQL may lose a commit, and with it the claim of a request that was sent (docs/guarantees.md). */
export const durabilityCheck = (databaseUrl: string): Check => ({
  name: 'durability',
  async run() {
    try {
      return judgeDurability(await readDurability(databaseUrl));
    } catch (error) {
      if (!(error instanceof JournalUnavailable || error instanceof JournalNotReady)) throw error;
      return wrong('the journal gave no answer', 'fix what check journal reports');
    }
  },
});

/** Reports everything in one line. */
export function judgeDurability(found: Durability): Judgement {
  const problems = PROBLEMS.filter(({ isThere }) => isThere(found));
  if (problems.length > 0) {
    return wrong(
      problems.map(({ what }) => what(found)).join('; '),
      problems.map(({ remedy }) => remedy).join('; '),
    );
  }
  if (found.asksForStandby) {
    const unseen = found.synchronousStandbys === null ? '; this login may not see which one is' : '';
    return well(`a commit waits for its disk and for a synchronous standby${unseen}`);
  }
  return well('a commit waits for its disk; no standby is connected');
}

interface Problem {
  readonly isThere: (found: Durability) => boolean;
  readonly what: (found: Durability) => string;
  readonly remedy: string;
}

const PROBLEMS: readonly Problem[] = [
  {
    isThere: ({ fsync }) => !fsync,
    what: () => 'fsync is off: a crash of the machine loses commits and can ruin the database',
    remedy: 'set fsync = on',
  },
  {
    isThere: ({ fullPageWrites }) => !fullPageWrites,
    what: () => 'full_page_writes is off: a crash of the machine can ruin pages that were half written',
    remedy: 'set full_page_writes = on',
  },
  {
    // The journal's sessions ask for `on` when they connect, so only a proxy in between can have dropped the setting.
    isThere: ({ synchronousCommit }) => synchronousCommit === 'off',
    what: () => 'synchronous_commit is off: a crash loses the last commits',
    remedy:
      'set synchronous_commit = on, and let a connection pooler pass the options of the journal’s sessions',
  },
  {
    isThere: ({ synchronousCommit, asksForStandby }) => synchronousCommit === 'local' && asksForStandby,
    what: () => 'synchronous_commit is local: a commit does not wait for the synchronous standby',
    remedy:
      'set synchronous_commit = on, and let a connection pooler pass the options of the journal’s sessions',
  },
  {
    isThere: ({ synchronousCommit, asksForStandby }) =>
      synchronousCommit === 'remote_write' && asksForStandby,
    what: () =>
      'synchronous_commit is remote_write: a standby whose machine fails as the primary does loses the last commits',
    remedy:
      'set synchronous_commit = on, and let a connection pooler pass the options of the journal’s sessions',
  },
  {
    // Any login can see that no standby is connected.
    isThere: ({ standbys, asksForStandby, synchronousStandbys }) =>
      asksForStandby && (standbys === 0 || synchronousStandbys === 0),
    what: ({ standbys }) =>
      `no standby that synchronous_standby_names names is connected${standbys === 0 ? '' : ` (connected: ${standbys})`}: every commit waits for one`,
    remedy: 'bring a named standby back, or name one that is connected (its application_name)',
  },
  {
    isThere: ({ standbys, asksForStandby }) => standbys > 0 && !asksForStandby,
    what: ({ standbys }) =>
      `${standbys === 1 ? 'a standby is' : `${standbys} standbys are`} connected and none is synchronous: a failover loses the last commits`,
    remedy: 'name those that may be promoted in synchronous_standby_names',
  },
];
