import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { chart } from './chart';
import { TABLE_HEAD, tableRow } from './report';
import type { ThroughputReport } from './report';
import type { EngineStore } from './servers';

const NAMES: Readonly<Record<EngineStore, string>> = { memory: 'latest', postgres: 'postgres' };
const FOLDER = join(packageRoot, 'bench', 'results');

/** Writes {json,md,svg}: `latest` with Temporal's data in memory, `postgres` with its data on PostgreSQL. */
export async function writeReport(report: ThroughputReport): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const path = (extension: string) => join(FOLDER, `${NAMES[report.engineStore]}.${extension}`);
  await writeFile(path('json'), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(path('md'), markdown(report));
  await writeFile(path('svg'), chart(report));
}

export function markdown(report: ThroughputReport): string {
  const { machine, transfers, concurrency, contestants, goals, leftOut } = report;
  const rounds = contestants[0]?.rounds.length ?? 0;
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  return [
    '# Throughput',
    '',
    `Short transfers: a create and two look-ups, 50 ms apart. ${rounds} rounds that take turns, ${transfers} transfers in each,`,
    `${concurrency} at a time; median (lowest–highest). ${ENGINE[report.engineStore]}`,
    '',
    `${machine.measuredAt}, ${machine.processor}, ${machine.cores} cores, load ${machine.loadAtStart.toFixed(1)} at the start;`,
    `Node ${machine.node}, ${versions.join(', ')}.`,
    '',
    `![Throughput and processor time](${NAMES[report.engineStore]}.svg)`,
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

const ENGINE: Readonly<Record<EngineStore, string>> = {
  memory: "Temporal's development server, with its data in memory.",
  postgres: 'A Temporal server with its data on PostgreSQL, which flushes each commit to disk.',
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
