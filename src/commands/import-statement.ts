import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { BookingOrdinals } from '../reconciliation/statement/booking-ordinals';
import { readMapping, withAccounts } from '../reconciliation/statement/mapping';
import { readStatement } from '../reconciliation/statement/read-statement';
import { LINE_RULES, StatementProblem } from '../reconciliation/statement/statement-problem';
import type { Logger } from '../telemetry/logger';
import { InputError } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { fileProblem } from './support/input/read-text';
import { note } from './support/output';
import type { Journal } from '../journal/journal';

const LOG_EVERY_MS = 2_000;
const BAD_LINES_SHOWN = 5;

interface StatementFiles {
  readonly file: string;
  readonly mappingFile: string;
  /** `FROM_ACCOUNTS`. */
  readonly fromAccounts: readonly string[] | null;
}

/** Reads a bank's statement into the journal, a thousand lines at a time. Returns the id for the run's argument. */
export async function importStatement(
  io: CommandIo,
  logger: Logger,
  journal: Pick<Journal, 'beginStatement' | 'addLines' | 'endStatement'>,
  { file, mappingFile, fromAccounts }: StatementFiles,
): Promise<number> {
  const mapping = readMapping(await textOf(mappingFile, '--mapping'));
  if (!mapping.ok) throw new InputError(`--mapping: ${mapping.problems.join('; ')}`);
  const statementId = await journal.beginStatement();
  const ordinals = new BookingOrdinals();
  let loggedMs = Date.now();
  try {
    const summary = await readStatement(
      createReadStream(file),
      withAccounts(mapping.mapping, fromAccounts),
      (bookings) =>
        journal.addLines(
          statementId,
          bookings.map((line) => ({ ...line, ordinal: ordinals.next(line) })),
        ),
      ({ lines, bytes }) => {
        if (Date.now() - loggedMs < LOG_EVERY_MS) return;
        loggedMs = Date.now();
        logger.info({ lines, bytes }, 'reading the statement');
      },
    );
    await journal.endStatement(statementId, summary);
    note(io, `giro: statement: ${summary.bookings} bookings, ${summary.ignored} lines ignored`);
    if (summary.accounts === null) {
      note(
        io,
        'giro: statement: its account is unknown, so a missing line proves nothing; name the account in "accounts" of the mapping',
      );
    }
    if (summary.badLines > 0) {
      note(
        io,
        `giro: statement: ${summary.badLines} lines cannot be read, so missing bookings prove nothing`,
      );
      for (const { line, rule } of summary.firstBadLines.slice(0, BAD_LINES_SHOWN)) {
        note(io, `giro:   line ${line}: ${LINE_RULES[rule]}`);
      }
    }
    return statementId;
  } catch (error) {
    if (error instanceof StatementProblem) throw new InputError(`--statement: ${error.message}`);
    if (fileProblem(error) !== null) throw new InputError('--statement: the file cannot be read');
    throw error;
  }
}

async function textOf(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new InputError(`${option}: the file cannot be read`);
  }
}
