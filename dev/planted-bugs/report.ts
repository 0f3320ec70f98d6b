import type { Caught } from './catch';

export const REPORT = 'docs/reliability.md';

const BEGIN = '<!-- planted bugs: written by `npm run planted-bugs -- --write` -->';
const END = '<!-- end of planted bugs -->';

/** The page with the table of what was noticed, and by which test. */
export function withTable(page: string, caught: readonly Caught[]): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${REPORT} has no place for the table`);
  const rows = caught.map(({ name, by, seconds }) =>
    by === null
      ? `| ${name} | **not noticed** | ${seconds} s |`
      : `| ${name} | \`${by.file}\`: ${by.test.replaceAll('|', '\\|')} | ${seconds} s |`,
  );
  const table = ['| the bug | noticed by | after |', '| - | - | - |', ...rows].join('\n');
  return `${page.slice(0, from)}${BEGIN}\n\n${table}\n\n${page.slice(to)}`;
}
