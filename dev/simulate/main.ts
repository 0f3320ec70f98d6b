import { Command, InvalidArgumentError, Option } from 'commander';
import { sayOnStderr } from '../elapsed-stamp';
import { audit } from '../../test/chaos/auditor/audit';
import type { Violation } from '../../test/chaos/auditor/books';
import { Scope } from '../scope';
import { releaseOnSignals } from '../signals';
import { playAtOnce } from './at-once';
import {
  buildName,
  CAMPAIGN,
  CAMPAIGN_REPORT,
  isSamePlay,
  machineName,
  rarePoints,
  readReport,
  writeReport,
} from './campaign';
import type { SeedReport } from './campaign';
import { keepBooks, readBooks } from './kept-books';
import { planOf } from './plan';
import type { Plan } from './plan';
import { cutTo, shrink, wholeOf } from './shrink';
import type { Cut } from './shrink';
import { simulate } from './simulate';
import type { SimulationOutcome } from './simulate';
import { commandOf, sentenceOf, storyOf } from './story';
import { openSystem, startServers } from './system';
import type { SimulationServers } from './system';
import { ENGINE_STORES } from './system-faults';
import type { EngineStore } from './system-faults';

interface Options {
  readonly seed: number;
  readonly transfers: number;
  readonly minutes: number;
  readonly only?: readonly number[];
  readonly faults?: readonly number[];
  readonly calm?: boolean;
  readonly repeats: number;
  /** Maximum number of tries to shrink a failing seed; false: none. */
  readonly shrink: number | false;
  readonly seeds?: number;
  readonly campaign?: boolean;
  readonly soak?: number;
  readonly report?: string;
  readonly audit?: string;
  readonly engineStore: EngineStore;
  readonly atOnce: number;
}

type Say = (line: string) => void;

const BUILD = buildName();

const MINUTE_MS = 60_000;
const SHRINK_TRIES = 10;
/** After this time no further part is tried. */
const SHRINK_MAX_MS = 15 * MINUTE_MS;
/** Distance between the first originIds of two plays: all plays of a process share one engine, so no id may repeat. */
const ORIGIN_IDS_EACH = 1_000_000;

const count = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1');
  return value;
};
const seedOf = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('a whole number from 0');
  return value;
};
const list = (text: string): readonly number[] => (text === 'none' ? [] : text.split(',').map(count));

function readOptions(): Options {
  const command = new Command('npm run simulate --')
    .description(
      'Plays what a seed decides on real processes and servers, then audits the books. Exit code 1: a promise was broken.',
    )
    .option('--seed <n>', 'decides everything that is planned', seedOf, 1)
    .option('--transfers <n>', 'how many', count, 20)
    .option('--minutes <n>', 'longest that one simulation goes on', count, 5)
    .option('--only <numbers>', 'only these transfers of the plan, comma-separated', list)
    .option('--faults <numbers>', 'process faults of these transfers only, or none', list)
    .option(
      '--calm',
      'no faults of servers and lines, no key losses, no stops of sending, no kills of the receiver, no verifications',
    )
    .option('--repeats <n>', 'plays the same plan this many times, and prints how many failed', count, 1)
    .option(
      '--shrink <tries>',
      'when a seed fails, looks for the shortest part that fails',
      count,
      SHRINK_TRIES,
    )
    .option('--no-shrink', 'looks for no shorter part')
    .option('--seeds <n>', 'plays so many seeds, from --seed on', count)
    .option('--at-once <n>', 'so many of the seeds at the same time, each in a process of its own', count, 1)
    .option(
      '--campaign',
      `the ${CAMPAIGN.seeds} seeds of ${CAMPAIGN.transfers} transfers that a release has to survive; reported to ${CAMPAIGN_REPORT}`,
    )
    .option('--soak <hours>', 'goes on with new seeds for so long', count)
    .addOption(
      new Option(
        '--engine-store <store>',
        'where the Temporal server keeps its data; postgres needs TEMPORAL_SERVER_PATH and TEMPORAL_SQL_TOOL_PATH (docs/deployment.md)',
      )
        .choices(ENGINE_STORES)
        .default('file'),
    )
    .option(
      '--audit <file>',
      'plays nothing, and audits the books of an earlier play again: .giro/simulate/seed-N/books-1.json.gz',
    )
    .option('--report <file>', 'writes the result of each seed into this file; skips seeds that the file has')
    .parse();
  const given = command.opts<Options>();
  if (given.atOnce > 1 && given.soak !== undefined)
    command.error('error: --soak plays one seed at a time', { exitCode: 2 });
  if (given.campaign !== true) return given;
  const { seeds, transfers, minutes } = CAMPAIGN;
  // Options on the command line override those of the campaign.
  const said = Object.entries(given).filter(([name]) => command.getOptionValueSource(name) === 'cli');
  return { ...given, seeds, transfers, minutes, report: CAMPAIGN_REPORT, ...Object.fromEntries(said) };
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options.audit !== undefined) {
    auditAgain(options.audit);
    return;
  }
  const startedMs = Date.now();
  const say: Say = sayOnStderr();
  const scope = new Scope();
  const letSignalsBe = releaseOnSignals(scope);
  try {
    const reports = options.report === undefined ? [] : readReport(options.report);
    const counts = { passed: 0, failed: 0 };
    const done = (report: SeedReport): void => {
      counts[report.violations.length > 0 ? 'failed' : 'passed'] += 1;
      const older = reports.findIndex((it) => it.command === report.command);
      if (older >= 0) reports.splice(older, 1);
      reports.push(report);
      reports.sort((a, b) => a.seed - b.seed);
      if (options.report !== undefined) writeReport(options.report, reports);
    };
    const commandFor = (seed: number): string => {
      const whole = planOf({ ...options, seed, firstOriginId: 1 });
      return commandOf(whole, givenCut(whole, options), { ...options, seed });
    };
    const isDone = (seed: number): boolean =>
      reports.some((it) => isSamePlay({ build: BUILD, command: commandFor(seed) }, it));
    const all = Array.from({ length: options.seeds ?? 1 }, (_, i) => options.seed + i);
    const seeds = all.filter((seed) => !isDone(seed));
    if (options.atOnce > 1) {
      const { atOnce } = options;
      const broken = await playAtOnce(seeds, { scope, atOnce, args: sharedArguments(options), say, done });
      counts.failed += broken.length;
      for (const seed of broken) say(`seed ${seed}: its process failed`);
    } else {
      const play = player(await startServers(scope, say, options.engineStore), options, say);
      const next = async (seed: number): Promise<void> =>
        done(await playSeed({ ...options, seed }, play, say));
      for (const seed of seeds) await next(seed);
      const soakMs = (options.soak ?? 0) * 60 * MINUTE_MS;
      while (Date.now() - startedMs < soakMs) await next(Math.max(...reports.map(({ seed }) => seed)) + 1);
    }
    if (counts.failed > 0) process.exitCode = 1;
    if (options.seeds !== undefined)
      process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
    if (options.campaign !== true) return;
    // The report may have failed seeds of an earlier call. They fail this campaign too, until another build plays them.
    const campaign = reports.filter((it) => all.some((seed) => it.command === commandFor(seed)));
    for (const { seed, violations } of campaign.filter((it) => it.violations.length > 0)) {
      process.stdout.write(`seed ${seed} broke rules: ${violations.length} violations in the report\n`);
      process.exitCode = 1;
    }
    const builds = new Set(campaign.map((it) => it.build));
    if (builds.size > 1) {
      process.stdout.write(
        `the report has seeds of ${builds.size} builds; --campaign plays the older ones again\n`,
      );
      process.exitCode = 1;
    }
    for (const point of rarePoints(campaign)) {
      process.stdout.write(`a worker was struck too rarely ${point}\n`);
      process.exitCode = 1;
    }
  } finally {
    await scope.release();
    letSignalsBe();
  }
}

function auditAgain(file: string): void {
  const books = readBooks(file);
  const violations = audit(books);
  for (const violation of violations) process.stdout.write(`${sentenceOf(violation, numberOf)}\n`);
  process.stdout.write(`${books.orders.length} orders, ${violations.length} violations\n`);
  if (violations.length > 0) process.exitCode = 1;
}

/** The options that all seeds share; each process also gets its own seed and report file. */
const sharedArguments = (options: Options): readonly string[] => [
  ...['--transfers', String(options.transfers), '--minutes', String(options.minutes)],
  ...['--engine-store', options.engineStore, '--repeats', String(options.repeats)],
  ...(options.calm === true ? ['--calm'] : []),
  ...(options.shrink === false ? ['--no-shrink'] : ['--shrink', String(options.shrink)]),
];

interface Played {
  readonly plan: Plan;
  readonly outcome: SimulationOutcome;
}
type Play = (seed: number, cutOf: (whole: Plan) => Cut) => Promise<Played>;

/** Each play has a separate journal, a separate bank and other originIds. */
function player(servers: SimulationServers, { transfers, minutes, engineStore }: Options, say: Say): Play {
  let plays = 0;
  return async (seed, cutOf) => {
    plays += 1;
    const whole = planOf({ seed, transfers, engineStore, firstOriginId: plays * ORIGIN_IDS_EACH + 1 });
    const plan = cutTo(whole, cutOf(whole));
    const scope = new Scope();
    try {
      const system = await openSystem(scope, servers, plan);
      return { plan, outcome: await simulate(plan, system, { maxMs: minutes * MINUTE_MS, say }) };
    } finally {
      await scope.release();
    }
  };
}

const numberOf = (originId: number): number => originId % ORIGIN_IDS_EACH;

async function playSeed(options: Options, play: Play, say: Say): Promise<SeedReport> {
  const { seed, repeats } = options;
  const whole = planOf({ ...options, firstOriginId: 1 });
  const cut = givenCut(whole, options);
  const plays: Played[] = [];
  for (let i = 1; i <= repeats; i += 1) {
    say(
      `seed ${seed}, ${cut.transfers.length} transfers${repeats === 1 ? '' : `, ${i} of ${repeats} plays`}`,
    );
    const played = await play(seed, () => cut);
    plays.push(played);
    say(JSON.stringify(played.outcome.done));
    const folder = keepBooks(seed, i, played.outcome);
    if (folder !== null)
      say(`what the books have about transfers that broke a rule or stood still: ${folder}`);
  }
  const failed = plays.filter(({ outcome }) => outcome.violations.length > 0);
  const last = failed.at(-1) ?? plays.at(-1);
  if (last === undefined) throw new Error('nothing was played');
  const violations = last.outcome.violations.map((it) => sentenceOf(it, numberOf));
  let shortest = cut;
  if (failed.length > 0) {
    for (const line of violations) process.stdout.write(`${line}\n`);
    process.stdout.write(`failed in ${failed.length} of ${repeats}: ${commandOf(whole, cut, options)}\n`);
    shortest = await shortestOf({ whole, cut, violations: last.outcome.violations }, options, play, say);
    for (const line of storyOf(cutTo(whole, shortest), numberOf)) process.stdout.write(`  ${line}\n`);
  }
  return {
    ...{
      seed,
      at: new Date().toISOString(),
      machine: machineName(),
      build: BUILD,
      command: commandOf(whole, cut, options),
    },
    ...{
      clock: whole.clock,
      isEncrypted: whole.isEncrypted,
      isSigned: whole.isSigned,
      engineStore: whole.engineStore,
      violations,
      ...(shortest === cut ? {} : { shortest: commandOf(whole, shortest, options) }),
      done: last.outcome.done,
    },
  };
}

/** The shortest part found that breaks one of the same rules; the part itself if no shorter one did. */
async function shortestOf(
  { whole, cut, violations }: { whole: Plan; cut: Cut; violations: readonly Violation[] },
  options: Options,
  play: Play,
  say: Say,
): Promise<Cut> {
  if (options.shrink === false) return cut;
  const suspects = violations.flatMap(({ originId }) =>
    originId === null ? [] : [numberOf(Number(originId)) - 1],
  );
  const rules = new Set(violations.map(({ rule }) => rule));
  const fails = async (part: Cut): Promise<boolean> => {
    const played = await play(options.seed, () => part).catch((error: unknown) => {
      say(`could not be played: ${String(error)}`);
      return null;
    });
    const isSame = played?.outcome.violations.some(({ rule }) => rules.has(rule)) === true;
    say(`${isSame ? 'fails' : 'does not fail'}: ${commandOf(whole, part, options)}`);
    return isSame;
  };
  const untilMs = Date.now() + SHRINK_MAX_MS;
  say(
    `looking for a shorter part that fails: ${options.shrink} tries in ${SHRINK_MAX_MS / MINUTE_MS} min at most`,
  );
  const shortest = await shrink({
    ...{ from: cut, suspects, fails, triesMax: options.shrink, isTimeUp: () => Date.now() >= untilMs },
  });
  process.stdout.write(
    shortest === cut
      ? 'no shorter part was seen to fail\n'
      : `shortest that was seen to fail: ${commandOf(whole, shortest, options)}\n`,
  );
  return shortest;
}

function givenCut(plan: Plan, { only, faults, calm }: Options): Cut {
  const whole = wholeOf(plan);
  const transfers = only === undefined ? whole.transfers : only.map((number) => number - 1);
  const meant = faults === undefined ? transfers : faults.map((number) => number - 1);
  return {
    transfers,
    faulted: whole.faulted.filter((i) => meant.includes(i) && transfers.includes(i)),
    system: calm !== true,
  };
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
