import { PAGE } from './page';

const BEGIN = '<!-- last run: written by `npm run first-hour-check -- --write` -->';
const END = '<!-- end of last run -->';

/** A run in which every block passed. Keys are the heads of the table. */
export type LastRun = Readonly<
  Record<
    'last run' | 'took' | 'blocks' | 'Giro' | 'Node.js' | 'PostgreSQL' | 'Temporal CLI' | 'OpenSSL' | 'on',
    string
  >
>;

/** The page with this run in its table, in Prettier's form. */
export function withLastRun(page: string, run: LastRun): string {
  const { from, to } = placeOf(page);
  const columns = Object.entries(run).map(([head, value]) => {
    const width = Math.max(3, head.length, value.length);
    return [head.padEnd(width), '-'.repeat(width), value.padEnd(width)];
  });
  const lines = [0, 1, 2].map((row) => `| ${columns.map((column) => column[row]).join(' | ')} |`);
  return `${page.slice(0, from)}\n\n${lines.join('\n')}\n\n${page.slice(to)}`;
}

/** The number of blocks in the run that the page records. */
export function recordedBlocks(page: string): number {
  const { from, to } = placeOf(page);
  const [heads = [], , values = []] = page
    .slice(from, to)
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return Number(values[heads.indexOf('blocks')]);
}

function placeOf(page: string): { from: number; to: number } {
  const from = page.indexOf(BEGIN) + BEGIN.length;
  const to = page.indexOf(END);
  if (from < BEGIN.length || to < from) throw new Error(`${PAGE} has no place for the last run`);
  return { from, to };
}
