import { TEMPORAL_CLI_VERSION } from '../temporal-wheel';
import type { Trial } from './trials';

export const PAGE = 'docs/versions.md';

const BEGIN = '<!-- versions: written by `npm run versions-check -- --write` -->';
const END = '<!-- end of versions -->';

/** The page with these trials in its table; versions that were not tried keep their rows. */
export function withTrials(page: string, trials: readonly Trial[], day: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${PAGE} has no place for the table`);
  const kept = page
    .slice(from + BEGIN.length, to)
    .split('\n')
    .filter((line) => /^\| (Node|PostgreSQL) /.test(line));
  const rows = new Map(kept.map((line) => [keyOf(line), line]));
  for (const { part, major, version } of trials)
    rows.set(`${part} ${major}`, `| ${part} ${major} | ${version} | ${TRIED[part]} | ${day} |`);
  const sorted = [...rows]
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([, row]) => row);
  const lines = ['| version | tried | by | on |', '| - | - | - | - |', ...sorted];
  return `${page.slice(0, from)}${BEGIN}\n\n${lines.join('\n')}\n\n${page.slice(to)}`;
}

const keyOf = (row: string): string => row.split('|')[1]?.trim() ?? '';

const TRIED = {
  Node: `the demo, with Temporal CLI ${TEMPORAL_CLI_VERSION}`,
  PostgreSQL: 'the demo, and the tests of the journal',
} as const;
