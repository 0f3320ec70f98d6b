import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { chart } from './chart';
import { TABLE_HEAD, tableRow } from './report';
import type { ThroughputReport } from './report';

const FOLDER = join(packageRoot, 'bench', 'results');

/** `bench/results/latest.{json,md,svg}`. */
export async function writeReport(report: ThroughputReport): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(join(FOLDER, 'latest.md'), markdown(report));
  await writeFile(join(FOLDER, 'latest.svg'), chart(report));
}

export function markdown(report: ThroughputReport): string {
  const { machine, transfers, concurrency, contestants, goals, leftOut } = report;
  const rounds = contestants[0]?.rounds.length ?? 0;
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  return [
    '# Throughput',
    '',
    `Short transfers: a create and two look-ups, 50 ms apart. ${rounds} rounds that take turns, ${transfers} transfers in each,`,
    `${concurrency} at a time; median (lowest–highest).`,
    '',
    `${machine.measuredAt}, ${machine.processor}, ${machine.cores} cores, load ${machine.loadAtStart.toFixed(1)} at the start;`,
    `Node ${machine.node}, ${versions.join(', ')}.`,
    '',
    '![Throughput and processor time](latest.svg)',
    '',
    ...table(TABLE_HEAD, contestants.map(tableRow)),
    '',
    ...Object.entries(leftOut).map(([name, why]) => `Left out: ${name} (${why}).\n`),
    ...table(
      ['Giro', 'measured', 'to be', ''],
      goals.map(({ what, measured, bound, isReached }) => [what, measured, bound, isReached ? '✓' : '✗']),
    ),
    '',
  ].join('\n');
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
