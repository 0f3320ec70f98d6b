import { JournalUnavailable } from './errors';

export interface JournalWatch {
  readonly failed: (reason: string) => void;
  readonly answered: () => void;
}

/** The same journal; each call reports to `watch` whether PostgreSQL was reachable. */
export function watchedJournal<Journal extends object>(journal: Journal, watch: JournalWatch): Journal {
  return new Proxy(journal, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? watched(member as Call, watch) : member;
    },
  });
}

type Call = (...args: readonly unknown[]) => Promise<unknown>;

function watched(call: Call, watch: JournalWatch): Call {
  return async (...args) => {
    try {
      const value = await call(...args);
      watch.answered();
      return value;
    } catch (error) {
      if (error instanceof JournalUnavailable) watch.failed(error.message);
      throw error;
    }
  };
}
