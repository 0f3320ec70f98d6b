import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { packageRoot } from '../package-root';
import { FAULT_POINTS } from './faults';
import type { Plan } from './plan';
import type { SimulationOutcome } from './simulate';
import { SYSTEM_FAULTS } from './system-faults';
import type { EngineStore } from './system-faults';

/** A release must play these twenty seeds without a violation. */
export const CAMPAIGN = { seeds: 20, transfers: 200, minutes: 40 } as const;
export const CAMPAIGN_REPORT = 'docs/reliability/campaign.json';
/** How often a worker must have been struck at each fault point, over all seeds together. */
export const FIRED_MIN = 20;

/** The result of one seed. */
export interface SeedReport {
  readonly seed: number;
  /** When the play ended, ISO UTC. */
  readonly at: string;
  /** The processor and the version of Node.js (`machineName`). */
  readonly machine: string;
  /** The code that was played (`buildName`). */
  readonly build: string;
  readonly clock: Plan['clock'];
  readonly isEncrypted: boolean;
  readonly isSigned: boolean;
  readonly engineStore: EngineStore;
  readonly violations: readonly string[];
  /** The command that plays this seed again. */
  readonly command: string;
  /** The command of the shortest part that was seen to fail; absent: none shorter. */
  readonly shortest?: string;
  /** Reports of older builds count no stops of the receiver. */
  readonly done: Omit<SimulationOutcome['done'], 'receiverStops'> & { readonly receiverStops?: number };
}

export const machineName = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node ${process.version}`;

const PLAYED = ['src', 'dev/simulate', 'test/chaos/auditor'];

/**
 * Hash of the compiled code of product, simulation and auditor, without comments, and of the lock file. Computed before
 * the first seed is played.
 */
export function buildName(): string {
  const files = PLAYED.flatMap((folder) =>
    readdirSync(join(packageRoot, 'dist', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(js|sql)$/.test(name))
      .map((name) => join('dist', folder, name)),
  );
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', ...files.sort()]) {
    const text = readFileSync(join(packageRoot, file), 'utf8');
    hash.update(`${file}\0${withoutComments(file, text)}\0`);
  }
  return hash.digest('hex').slice(0, 12);
}

/** A change of comments alone does not change the hash, so the campaign need not be repeated. */
function withoutComments(file: string, text: string): string {
  if (file.endsWith('.sql')) return text.replace(/^\s*--.*\n/gm, '');
  if (!file.endsWith('.js')) return text;
  const compilerOptions = { removeComments: true, target: ScriptTarget.ES2023, module: ModuleKind.CommonJS };
  return transpileModule(text, { compilerOptions }).outputText;
}

export const readReport = (path: string): SeedReport[] =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SeedReport[]) : [];

/**
 * Writes the report as JSON, and as a page for people beside it. Called after each seed, so that an interrupted
 * campaign continues with the seeds that are missing.
 */
export function writeReport(path: string, reports: readonly SeedReport[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(reports, null, 2)}\n`);
  writeFileSync(path.replace(/(\.json)?$/, '.md'), reportPage(reports));
}

/** Whether two reports are about the same build and the same command; if not, the seed must be played again. */
export const isSamePlay = (
  a: Pick<SeedReport, 'build' | 'command'>,
  b: Pick<SeedReport, 'build' | 'command'>,
): boolean => a.build === b.build && a.command === b.command;

/** Fault points at which workers were struck too rarely. They make a campaign fail, as violations do. */
export const rarePoints = (reports: readonly SeedReport[]): readonly string[] =>
  Object.keys(FAULT_POINTS).filter((point) => fired(reports, point) < FIRED_MIN);

const fired = (reports: readonly SeedReport[], point: string): number =>
  sum(reports, ({ done }) => (done.points as Readonly<Record<string, number>>)[point] ?? 0);

function reportPage(reports: readonly SeedReport[]): string {
  const seeds = [
    [
      'seed',
      'ended (UTC)',
      'clock',
      'transfers',
      'kills',
      'stops',
      'system faults',
      'standstill, s',
      'minutes',
      'violations',
    ],
    ...reports.map(({ seed, at, clock, isEncrypted, isSigned, engineStore, done, violations }) => [
      ...[seed, at.slice(0, 16).replace('T', ' ')],
      `${clock === 'bank' ? 'real time' : 'skipped'}${isEncrypted ? ', encrypted' : ''}${isSigned ? ', signed' : ''}${engineStore === 'postgres' ? ', Temporal on PostgreSQL' : ''}`,
      ...[
        done.transfers,
        done.kills,
        done.stops,
        countOf(done.systemFaults),
        (done.standstillMs / 1_000).toFixed(0),
      ],
      ...[(done.ms / 60_000).toFixed(1), violations.length],
    ]),
  ];
  const whole = [
    ['', 'in all'],
    ['seeds', reports.length],
    ['transfers', sum(reports, ({ done }) => done.transfers)],
    ...endsOf(reports).map(([status, count]) => [`of these ${status}`, count]),
    ['workers killed at a point', sum(reports, ({ done }) => done.kills)],
    ['workers stopped at a point', sum(reports, ({ done }) => done.stops)],
    ['receivers killed', sum(reports, ({ done }) => done.receiverKills)],
    ['receivers stopped', sum(reports, ({ done }) => done.receiverStops ?? 0)],
    ['keys lost and found', sum(reports, ({ done }) => done.keyLosses)],
    ['runs reset', sum(reports, ({ done }) => done.resets)],
    ['decisions', sum(reports, ({ done }) => done.decisions)],
    ['workers that ended by themselves', sum(reports, ({ done }) => done.endedByThemselves)],
    [
      'longest standstill, s',
      Math.round(Math.max(0, ...reports.map(({ done }) => done.standstillMs)) / 1_000),
    ],
    ['requests at the bank', sum(reports, ({ done }) => done.bankRequests)],
    ['hours', (sum(reports, ({ done }) => done.ms) / 3_600_000).toFixed(1)],
    ['violations', sum(reports, ({ violations }) => violations.length)],
  ];
  const system = Object.keys(SYSTEM_FAULTS).map((name) => [
    name,
    sum(reports, ({ done }) => (done.systemFaults as Readonly<Record<string, number>>)[name] ?? 0),
  ]);
  const points = Object.keys(FAULT_POINTS).map((point) => [point, fired(reports, point)]);
  const broken = reports.flatMap(({ seed, command, shortest, violations }) =>
    violations.length === 0
      ? []
      : [
          ...[`Seed ${seed}, \`${command}\`:`, '', ...violations.map((it) => `- ${it}`), ''],
          ...(shortest === undefined ? [] : [`Shortest part that failed: \`${shortest}\``, '']),
        ],
  );
  return [
    '# Report of the campaign',
    '',
    'Written by `npm run simulate -- --campaign` ([what it does](../reliability.md)), seed by seed.',
    `Ran on ${[...new Set(reports.map(({ machine }) => machine))].join('; ')}; build ${[...new Set(reports.map(({ build }) => build))].join('; ')}.`,
    '',
    ...tableOf(whole),
    '',
    ...['## Violations', '', ...(broken.length === 0 ? ['None.', ''] : broken)],
    ...['## Points at which workers were struck', '', ...tableOf([['point', 'times'], ...points]), ''],
    ...['## Faults of the system', '', ...tableOf([['fault', 'times'], ...system]), ''],
    ...['## Seeds', '', ...tableOf(seeds), ''],
  ].join('\n');
}

const sum = (reports: readonly SeedReport[], count: (it: SeedReport) => number): number =>
  reports.reduce((total, it) => total + count(it), 0);

const countOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, it) => total + it, 0);

function endsOf(reports: readonly SeedReport[]): [string, number][] {
  const statuses = new Set(reports.flatMap(({ done }) => Object.keys(done.ended)));
  return [...statuses].sort().map((it) => [it, sum(reports, ({ done }) => done.ended[it] ?? 0)]);
}

type Cell = string | number;

/** A Markdown table with aligned columns; the first row is the head. */
function tableOf(rows: readonly (readonly Cell[])[]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(3, ...rows.map((row) => String(row[i]).length))) ?? [];
  const line = (cells: readonly Cell[]): string =>
    `| ${cells.map((it, i) => String(it).padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)];
}
