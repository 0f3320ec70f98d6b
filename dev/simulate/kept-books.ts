import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Books } from '../../test/chaos/auditor/books';
import { requestsOf } from '../../test/chaos/auditor/reading';
import { longestStandstill } from '../../test/chaos/auditor/standstill';
import { packageRoot } from '../package-root';
import type { SimulationOutcome } from './simulate';

/** Longer than any single fault together with the time-outs that follow it. */
const LONG_STANDSTILL_MS = 90_000;

/**
 * Writes a JSON file for each transfer that broke a rule or stood still for long, with everything that the books have
 * about it. Without these files the books are lost: the servers end with the simulation. Returns the folder; null:
 * there was no such transfer.
 */
export function keepBooks(seed: number, { books, violations }: SimulationOutcome): string | null {
  const standstill = longestStandstill(books);
  const originIds = new Set([
    ...violations.flatMap(({ originId }) => originId ?? []),
    ...(standstill.ms >= LONG_STANDSTILL_MS ? [standstill.originId ?? []].flat() : []),
  ]);
  if (originIds.size === 0) return null;
  const folder = join(packageRoot, '.giro', 'simulate', `seed-${seed}`);
  mkdirSync(folder, { recursive: true });
  for (const originId of originIds)
    writeFileSync(
      join(folder, `${originId}.json`),
      `${JSON.stringify(booksAbout(books, originId), null, 2)}\n`,
    );
  return folder;
}

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
