import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { chart } from './chart';
import { TABLE_HEAD, tableRow } from './report';
import type { Machine, ThroughputReport } from './report';
import { SHARDS } from './servers';
import type { EngineStore } from './servers';

const NAMES: Readonly<Record<EngineStore, string>> = { memory: 'latest', postgres: 'postgres' };
const FOLDER = join(packageRoot, 'bench', 'results');

/** Writes {json,md,svg}: `latest` with Temporal's data in memory, `postgres` with its data on PostgreSQL. */
export async function writeReport(report: ThroughputReport): Promise<void> {
  const name = NAMES[report.engineStore];
  await writeResult(`${name}.json`, `${JSON.stringify(report, null, 2)}\n`);
  await writeResult(`${name}.md`, markdown(report));
  await writeResult(`${name}.svg`, chart(report));
}

/** Writes a file to `bench/results`. */
export async function writeResult(name: string, text: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, name), text);
}

export function markdown(report: ThroughputReport): string {
  const { machine, transfers, concurrency, contestants, goals, leftOut } = report;
  const rounds = contestants[0]?.rounds.length ?? 0;
  return [
    '# Throughput',
    '',
    `Short transfers: a create and two look-ups, 50 ms apart. ${rounds} rounds that take turns, ${transfers} transfers in each,`,
    `${concurrency} at a time; median (lowest–highest). ${ENGINE[report.engineStore]}`,
    '',
    ...machineLines(machine),
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

export function machineLines(machine: Machine): readonly string[] {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  return [
    `${machine.measuredAt}, ${machine.processor}, ${machine.cores} cores, load ${machine.loadAtStart.toFixed(1)} at the start;`,
    `Node ${machine.node}, ${versions.join(', ')}.`,
  ];
}

const ENGINE: Readonly<Record<EngineStore, string>> = {
  memory: "Temporal's development server, with its data in memory.",
  postgres: `A Temporal server of ${SHARDS} shards with its data on PostgreSQL, which flushes each commit to disk.`,
};

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
