import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PartsReport } from '../../bench/parts';
import type { Part } from '../../bench/throughput/measure';
import { median, spread, totalCpuMs } from '../../bench/throughput/report';
import type { ThroughputReport } from '../../bench/throughput/report';
import { packageRoot } from '../../dev/package-root';
import {
  POSTGRES_TRANSACTIONS_PER_S,
  postgresEnd,
  SERVER_CPU_MS,
  sizing,
  STATEMENT_CPU_MS,
  STORE_CPU_MS,
  WORKER_CPU_MS,
} from '../../dev/scaling/sizing';
import { SCALING_TABLES } from '../../dev/scaling/tables';
import { POLLS_PER_RUN, transferCost } from '../../dev/scaling/transfer-cost';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { workerLimits } from '../../src/worker/options';

const FILE = join(packageRoot, 'docs/scaling.md');
const readResult = (name: string): unknown =>
  JSON.parse(readFileSync(join(packageRoot, 'bench/results', name), 'utf8'));
const tableUnder = (heading: string) => new RegExp(`(\n#+ ${heading}\n[^|]*?\n)((?:\\|.*\n)+)`);

const textOf = (rows: readonly (readonly string[])[]): string =>
  [rows[0]!, rows[0]!.map(() => '---'), ...rows.slice(1)]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');

const cellsOf = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replace(/^-+$/, '---')),
    );

/** The table of `npm run bench -- parts --write`. */
function partsTable(): readonly (readonly string[])[] {
  const { topologies } = readResult('parts.json') as PartsReport;
  const parts = ['worker', 'engine', 'engine store', 'postgres'] as const;
  return [
    [
      'Temporal servers / workers',
      'transfers/s',
      ...['together', 'workers', 'servers', 'their PostgreSQL', 'journal'],
    ],
    ...topologies.map(({ servers, workers, rounds }) => [
      `${servers} / ${workers}`,
      ...[spread(rounds.map(({ perSecond }) => perSecond)), spread(rounds.map(totalCpuMs))],
      ...parts.map((part) => median(rounds.map(({ cpuMs }) => cpuMs[part] ?? NaN)).toFixed(1)),
    ]),
  ];
}

test.each(Object.entries({ ...SCALING_TABLES, 'As parts are added': partsTable() }))(
  '%s: the table is the one that the code computes (GIRO_UPDATE_DOCS=1 writes it, prettier aligns it)',
  (heading, rows) => {
    const page = readFileSync(FILE, 'utf8');
    expect(page).toMatch(tableUnder(heading));
    if (process.env['GIRO_UPDATE_DOCS'] === '1') {
      writeFileSync(
        FILE,
        page.replace(tableUnder(heading), (_, head: string) => `${head}${textOf(rows)}`),
      );
    }
    const table = tableUnder(heading).exec(readFileSync(FILE, 'utf8'))?.[2] ?? '';
    expect(cellsOf(table)).toEqual(cellsOf(textOf(rows)));
  },
);

test('the arithmetic, by hand', () => {
  expect(transferCost(2)).toMatchObject({ events: 26, transitions: 12 });
  // 26 + 10 · 6; 12 + 10 · 3
  expect(transferCost(12)).toMatchObject({ events: 86, transitions: 42 });
  // Two runs: 26 + 58 · 6 + 7; 12 + 58 · 3 + 3
  expect(transferCost(60)).toMatchObject({ events: 381, transitions: 189 });
  // 12,000 transitions a second: 12,000 / 10 is 1,200 shards, the next power of two 2,048.
  expect(sizing(1_000, 2, 5)).toMatchObject({
    transitionsPerS: 12_000,
    shards: 2_048,
    openTransfers: 10_000,
  });
  // 5 + 2 + 2 statements; 5 + 12 + 2. 5,000 / 9 and / 19; 10,000 · 9 / 5,000 and 10,000 · 19 / 5,000.
  expect([transferCost(2).journalStatements, transferCost(12).journalStatements]).toEqual([9, 19]);
  expect([postgresEnd(2).journal, postgresEnd(12).journal]).toEqual([555, 263]);
  // 42,000 transitions · 3.3 ms at 60 % of a processor: exactly 231.
  expect(sizing(1_000, 12, 5).workers).toBe(231);
  expect([sizing(10_000, 2, 5).installations, sizing(10_000, 12, 5).installations]).toEqual([18, 38]);
});

test('the text about installations agrees with the tables', () => {
  const page = readFileSync(FILE, 'utf8').replaceAll(/\s+/g, ' ');
  const short = sizing(10_000, 2, 5).installations;
  expect(page).toContain(
    `10,000 transfers a second take ${short} installations of some ${postgresEnd(2).journal} each if they end within 10 s, ` +
      `and ${sizing(10_000, 12, 5).installations} if they take a minute.`,
  );
  // Rounded down each.
  expect((short + 1) * postgresEnd(2).journal).toBeGreaterThan(10_000);
  expect(page).toContain(
    `The table assumes ${POSTGRES_TRANSACTIONS_PER_S.toLocaleString('en-US')} transactions a second`,
  );
});

test('what it takes for granted of the workers is so', () => {
  const workflow = readFileSync(join(packageRoot, 'src/workflows/transfer.ts'), 'utf8');
  expect(workflow).toContain(`LOOKUPS_PER_RUN = ${POLLS_PER_RUN};`);
  expect(workerLimits(DEFAULT_TRANSFER_SETTINGS).maxCachedWorkflows).toBe(1_500);
});

test('processor times come from the report of the bench', () => {
  const { contestants } = readResult('postgres.json') as ThroughputReport;
  const rounds = contestants.find(({ name }) => name === 'giro')?.rounds ?? [];
  const medianOf = (part: Part) => median(rounds.map(({ cpuMs }) => cpuMs[part] ?? NaN));
  const { transitions, journalStatements } = transferCost(2);
  expect(
    [
      ...(['engine', 'engine store', 'worker'] as const).map((part) => medianOf(part) / transitions),
      medianOf('postgres') / journalStatements,
    ].map((ms) => ms.toFixed(1)),
  ).toEqual([SERVER_CPU_MS, STORE_CPU_MS, WORKER_CPU_MS, STATEMENT_CPU_MS].map((ms) => ms.toFixed(1)));
});
