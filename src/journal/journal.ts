import type { KeyRing } from '../codec/key-ring';
import { answerCipher, differenceCipher, journalKeyRing, orderCipher } from './ciphers';
import type { Database, JournalContext } from './context';
import { SeenBrake } from './seen-brake';
import * as statements from './statements';

/**
 * Giro's records, written before Giro acts on them: every statement of `./statements`, bound to its context. Methods
 * throw `JournalUnavailable` (nothing is known to be written: repeat later), `JournalNotReady` (run setup, grant the
 * role) or `JournalStatementError` (refused by a guard or a constraint). Consumers ask for a `Pick<Journal, …>`.
 */
export type Journal = Bound<typeof statements> & {
  /** Values of an answer that differ from the order are kept, sealed; false: without a key ring they are dropped. */
  readonly keepsDiffering: boolean;
};

type Bound<Statements> = {
  readonly [Name in keyof Statements]: Statements[Name] extends (
    context: JournalContext,
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Result
    : never;
};

export function bindJournal(
  database: Database,
  { keyRing: ring, clearBefore }: { readonly keyRing: KeyRing | null; readonly clearBefore: Date | null },
): Journal {
  const keyRing = ring === null ? null : journalKeyRing(ring);
  const context: JournalContext = {
    ...{ database, keyRing },
    orders: orderCipher(keyRing, clearBefore),
    answers: answerCipher(keyRing),
    differences: differenceCipher(keyRing),
    brake: new SeenBrake(),
  };
  const bound = Object.entries(statements).map(([name, statement]) => [name, bind(statement, context)]);
  return {
    ...(Object.fromEntries(bound) as Bound<typeof statements>),
    keepsDiffering: context.differences.seals,
  };
}

const bind =
  (statement: (context: JournalContext, ...args: never[]) => unknown, context: JournalContext) =>
  (...args: never[]) =>
    statement(context, ...args);
