import { PLANTED_BUGS } from './bugs';
import type { Caught } from './catch';

export const REPORT = 'docs/reliability/planted-bugs.md';

const BEGIN = '<!-- planted bugs: written by `npm run planted-bugs -- --write` -->';
const END = '<!-- end of planted bugs -->';

/** The page with these rows in its table, in the order of the bugs. Other bugs keep their rows. */
export function withTable(page: string, caught: readonly Caught[]): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${REPORT} has no place for the table`);
  const table = page
    .slice(from + BEGIN.length, to)
    .trim()
    .split('\n');
  const rows = PLANTED_BUGS.flatMap(({ name }) => {
    const one = caught.find((it) => it.name === name);
    return one === undefined ? table.filter((line) => line.startsWith(`| ${name} `)) : [rowOf(one)];
  });
  const lines = ['| the bug | noticed by | after |', '| - | - | - |', ...rows];
  return `${page.slice(0, from)}${BEGIN}\n\n${lines.join('\n')}\n\n${page.slice(to)}`;
}

const rowOf = ({ name, by, seconds }: Caught): string =>
  `| ${name} | ${by === null ? '**not noticed**' : `\`${by.file}\`: ${by.test.replaceAll('|', '\\|')}`} | ${seconds} s |`;
