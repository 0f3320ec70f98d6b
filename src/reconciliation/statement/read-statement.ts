import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { StatementLine } from '../books';
import { csvRecords } from './csv-records';
import { accountMark, columnIndex, lineReader } from './line-reader';
import type { StatementMapping } from './mapping';
import { StatementProblem } from './statement-problem';
import { StatementSums } from './statement-sums';
import type { StatementSummary } from './statement-sums';

const BATCH_LINES = 1_000;

export interface StatementProgress {
  readonly lines: number;
  readonly bytes: number;
}

/**
 * Reads a statement of any length in bounded memory. Bookings go to `take` in batches of at most a thousand, in the
 * file's order; the next batch follows when `take` is done. Unreadable lines are counted and reported by number and
 * rule. If the file cannot be read further, a `StatementProblem` follows the last batch.
 */
export async function readStatement(
  source: Readable,
  mapping: StatementMapping,
  take: (bookings: readonly StatementLine[]) => Promise<void>,
  progress: (soFar: StatementProgress) => void = () => undefined,
): Promise<StatementSummary> {
  const file = { hash: createHash('sha256'), bytes: 0 };
  const sums = new StatementSums(mapping.accounts?.map(accountMark) ?? null);
  let lines = 0;
  let batch: StatementLine[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await take(batch);
    batch = [];
    progress({ lines, bytes: file.bytes });
  };
  let read: ReturnType<typeof lineReader> | null = null;
  let width = 0;
  for await (const { record, line } of csvRecords(source, mapping, file)) {
    lines = line;
    if (record.length === 1 && record[0] === '') continue;
    if (read === null) {
      const { header } = mapping;
      read = lineReader(mapping, columnIndex(header ? record : null, line));
      width = header ? record.length : 0;
      if (header) continue;
    }
    const one = record.length < width ? ({ kind: 'bad', rule: 'COLUMNS' } as const) : read(record, line);
    if (one.kind === 'booking') batch.push(one.booking);
    sums.enter(one, line);
    if (batch.length >= BATCH_LINES || line % BATCH_LINES === 0) await flush();
  }
  if (read === null && mapping.header) throw new StatementProblem('NO_HEADER', lines + 1);
  await flush();
  return sums.summary(file.hash.digest('hex'), file.bytes);
}
