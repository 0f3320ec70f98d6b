import { spawnSync } from 'node:child_process';
import { chown, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { lastingPort } from '../free-port';
import type { NodeEnv } from '../node-env';
import { packageRoot } from '../package-root';
import { CannotRun, run } from '../run';
import type { Scope } from '../scope';
import { scoped } from '../scoped';
import { TemporalCliMissing, findTemporalCli } from '../temporal-cli';
import { unprivilegedUser } from '../unprivileged-user';
import { VERSION } from '../../src/version';
import { exitCodeOf, lineOf } from './counts';
import type { Counts } from './counts';
import { withLastRun } from './last-run';
import type { LastRun } from './last-run';
import { PAGE, PORTS, blocksOf, missingLine, withPorts } from './page';
import type { Block } from './page';
import { Shell } from './shell';

/**
 * `npm run first-hour-check`: runs every command of docs/first-hour.md in order, as an unprivileged account in an empty
 * folder, and compares the output with the page. Where a program that the page lists is missing, every block is
 * skipped: the check fails then, unless `--allow-skip` is given.
 */
const BLOCK_MS = 300_000;
const PROGRAMS = ['bash', 'npm', 'openssl', 'curl', 'jq', 'ssh-keygen'];
const POSTGRES_PROGRAMS = ['postgres', 'initdb', 'psql', 'pg_dump', 'pg_restore', 'pg_basebackup'];

const startedMs = Date.now();
const say = (line: string): void => {
  process.stdout.write(`${((Date.now() - startedMs) / 1_000).toFixed(0).padStart(5)} s  ${line}\n`);
};

interface Options {
  readonly verbose?: boolean;
  readonly allowSkip?: boolean;
  readonly write?: boolean;
}

interface Result extends Counts {
  readonly versions: Pick<LastRun, 'PostgreSQL' | 'Temporal CLI' | 'OpenSSL'>;
}

async function check(scope: Scope, blocks: readonly Block[], verbose: boolean): Promise<Result> {
  const postgres = postgresFolder(process.env);
  const temporal = await findTemporalCli({ env: process.env, log: say });
  const user = unprivilegedUser();
  const home = scope.own(await mkdtemp(join(tmpdir(), 'giro-first-hour-')), (it) =>
    rm(it, { recursive: true, force: true }),
  );
  const programs = join(home, 'programs');
  const releases = join(home, 'releases');
  for (const folder of [programs, releases]) await mkdir(folder);
  // A copy, because the account may not be able to read the cache.
  await copyFile(temporal, join(programs, 'temporal'));
  if (user !== null) for (const folder of [home, programs, releases]) await chown(folder, user.uid, user.gid);
  const ports = new Map<number, number>();
  for (const port of PORTS) ports.set(port, await lastingPort());
  const env = {
    ...downloading(process.env),
    ...{ HOME: home, TMPDIR: home, RELEASES: releases, LC_ALL: 'C', TEMPORAL_VERSION_CHECK_DISABLED: '1' },
    PATH: [programs, postgres, process.env['PATH'] ?? ''].join(':'),
  };
  const shell = scope.own(new Shell({ cwd: home, env, user }), (it) => it.stop());

  const versions = {
    PostgreSQL: await versionOf(join(postgres, 'postgres')),
    'Temporal CLI': await versionOf(temporal),
    OpenSSL: await versionOf('openssl', 'version'),
  };

  let passed = 0;
  let failed = 0;
  for (const block of blocks) {
    const name = `${PAGE}:${block.line} ${block.heading}`;
    if (typeof block.runsIn === 'object') {
      say(`not run  ${name}: ${block.runsIn.notRun}`);
      continue;
    }
    const { ok, output, missing } = await runBlock(block, shell, releases, ports);
    if (ok && missing === null) passed += 1;
    else failed += 1;
    const problem = ok ? `the output has no line "${missing}"` : 'a command failed, or took too long';
    say(ok && missing === null ? `ok       ${name}` : `FAILED   ${name}: ${problem}\n${endOf(output)}`);
    if (verbose) process.stdout.write(`${output.trimEnd()}\n`);
    if (ok) continue;
    for (const [log, end] of await logsOf(home)) say(`the end of log/${log}:\n${end}`);
    break;
  }
  return { passed, failed, skipped: blocks.length - passed - failed, versions };
}

/** The first version number that the program prints. */
async function versionOf(program: string, argument = '--version'): Promise<string> {
  const printed = await run(program, [argument], { env: process.env });
  return /\d+\.\d+[\d.]*/.exec(printed)?.[0] ?? printed.trim();
}

interface Outcome {
  /** Every command succeeded. */
  readonly ok: boolean;
  readonly output: string;
  /** The first expected line that the output lacks. */
  readonly missing: string | null;
}

async function runBlock(
  block: Block,
  shell: Shell,
  releases: string,
  ports: ReadonlyMap<number, number>,
): Promise<Outcome> {
  const script = withPorts(block.script, ports);
  const { ok, output } =
    block.runsIn === 'checkout' ? await inCheckout(script, releases) : await shell.run(script, BLOCK_MS);
  const expected = block.expected.map((line) => withPorts(line, ports));
  return { ok, output, missing: missingLine(expected, output) };
}

/** Runs a block as the caller, because the account may not read the checkout. The result goes to `RELEASES`. */
async function inCheckout(script: string, releases: string): Promise<{ ok: boolean; output: string }> {
  const command = `set -euo pipefail; cd '${packageRoot}'; RELEASES='${releases}'\n${script}`;
  try {
    return { ok: true, output: await run('bash', ['-c', command], { env: process.env }) };
  } catch (error) {
    return { ok: false, output: error instanceof Error ? error.message : String(error) };
  }
}

async function logsOf(home: string): Promise<readonly (readonly [string, string])[]> {
  const folder = join(home, 'log');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return Promise.all(
    names.map(async (name) => [name, endOf(await readFile(join(folder, name), 'utf8'), 4)] as const),
  );
}

const endOf = (output: string, lines = 25): string => output.trim().split('\n').slice(-lines).join('\n');

/** Variables that npm may need to reach its registry. */
function downloading(env: NodeEnv): Record<string, string> {
  // npm passes folders of the caller's home to this process; the account may not write into them.
  const names =
    /^(npm_config_(?!cache|prefix|local_prefix|userconfig|init_module).*|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => names.test(entry[0]) && entry[1] !== undefined,
    ),
  );
}

/** The folder that holds all programs of one PostgreSQL installation. */
function postgresFolder(env: NodeEnv): string {
  const lacking = PROGRAMS.filter((name) => spawnSync('which', [name]).status !== 0);
  if (lacking.length > 0) throw new CannotRun(`these programs are not installed: ${lacking.join(', ')}`);
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(env['PATH'] ?? '').split(':'),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  const found = folders.find((folder) => POSTGRES_PROGRAMS.every((name) => existsSync(join(folder, name))));
  if (found === undefined)
    throw new CannotRun(`PostgreSQL with all of ${POSTGRES_PROGRAMS.join(', ')} is not installed`);
  return found;
}

async function checkOrSkip(scope: Scope, { verbose = false, write = false }: Options): Promise<Counts> {
  const page = join(packageRoot, PAGE);
  const text = await readFile(page, 'utf8');
  const blocks = blocksOf(text);
  try {
    const result = await check(scope, blocks, verbose);
    if (write && result.passed === blocks.length) await writeFile(page, withLastRun(text, runOf(result)));
    return result;
  } catch (error) {
    if (!(error instanceof CannotRun || error instanceof TemporalCliMissing)) throw error;
    say(`skipped  every block of ${PAGE}: ${error.message}`);
    return { passed: 0, failed: 0, skipped: blocks.length };
  }
}

function runOf({ passed, versions }: Result): LastRun {
  const seconds = Math.round((Date.now() - startedMs) / 1_000);
  return {
    'last run': new Date().toISOString().slice(0, 10),
    took: `${Math.floor(seconds / 60)} min ${seconds % 60} s`,
    blocks: String(passed),
    Giro: VERSION,
    'Node.js': process.versions.node,
    ...versions,
    on: `${availableParallelism()} processors`,
  };
}

async function main(): Promise<void> {
  const options = new Command('npm run first-hour-check --')
    .description(`Runs every command of ${PAGE}, in a temporary folder on free ports of loopback.`)
    .option('--verbose', 'print what each block prints')
    .option('--allow-skip', 'exit 0 when blocks are skipped because a program is missing')
    .option('--write', `record a run in which every block passed in ${PAGE}`)
    .parse()
    .opts<Options>();
  const counts = await scoped((scope) => checkOrSkip(scope, options));
  // Null: the check itself failed, and stderr says why; or a signal ended it.
  if (counts === null) process.exitCode = 1;
  else {
    process.stdout.write(`${lineOf(counts)}\n`);
    process.exitCode = exitCodeOf(counts, options.allowSkip === true);
  }
}

void main();
