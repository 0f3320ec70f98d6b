import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Books } from '../../test/chaos/auditor/books';
import { requestsOf } from '../../test/chaos/auditor/reading';
import { longestStandstill } from '../../test/chaos/auditor/standstill';
import { packageRoot } from '../package-root';
import type { SimulationOutcome } from './simulate';

/** Longer than any single fault together with the time-outs that follow it. */
const LONG_STANDSTILL_MS = 90_000;

/**
 * Writes the books of a play into the seed's folder, because the servers end with the simulation. `--audit` reads
 * `books-N.json.gz`; N is the number of the play. Each transfer that broke a rule or stood still for long also has a
 * JSON file for people. Returns the folder; null: no transfer did.
 */
export function keepBooks(
  seed: number,
  play: number,
  { books, violations }: SimulationOutcome,
): string | null {
  const folder = join(packageRoot, '.giro', 'simulate', `seed-${seed}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `books-${play}.json.gz`), gzipSync(JSON.stringify(books)));
  const standstill = longestStandstill(books);
  const originIds = new Set([
    ...violations.flatMap(({ originId }) => originId ?? []),
    ...(standstill.ms >= LONG_STANDSTILL_MS ? [standstill.originId ?? []].flat() : []),
  ]);
  if (originIds.size === 0) return null;
  for (const originId of originIds)
    writeFileSync(
      join(folder, `${originId}.json`),
      `${JSON.stringify(booksAbout(books, originId), null, 2)}\n`,
    );
  return folder;
}

/** The books in a file that `keepBooks` wrote. */
export const readBooks = (file: string): Books =>
  JSON.parse(gunzipSync(readFileSync(file)).toString()) as Books;

const booksAbout = (books: Books, originId: string) => ({
  order: books.orders.find((it) => it.originId === originId),
  bank: {
    movements: books.bank.movements.filter((it) => it.originId === originId),
    requests: requestsOf(books, originId),
  },
  journal: Object.fromEntries(
    Object.entries(books.journal).map(([table, rows]) => [
      table,
      (rows as readonly object[]).filter((row) => isAbout(row, originId)),
    ]),
  ),
  histories: books.histories.filter((it) => it.originId === originId),
  reconciliation: books.reconciliation,
  terms: books.terms,
});

const isAbout = (row: object, originId: string): boolean =>
  ('origin_id' in row && row.origin_id === originId) || ('originId' in row && row.originId === originId);
