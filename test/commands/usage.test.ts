import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import type { Command } from 'commander';
import { packageRoot } from '../../dev/package-root';
import { VARIABLES } from '../../src/config/variables';
import { processIo } from '../../src/program/io';
import { giroProgram } from '../../src/starter';
import { VERSION } from '../../src/version';
import { deadPort } from '../bank/local-server';
import { NO_SERVERS, giro } from './support/memory-io';
import { order } from './support/orders';

/** The words that run each command: those of groups have commands of their own. */
function commandsOf({ commands }: Command): string[][] {
  return commands.flatMap((command) =>
    command.commands.length === 0
      ? [[command.name()]]
      : commandsOf(command).map((words) => [command.name(), ...words]),
  );
}

const COMMANDS = commandsOf(giroProgram({ io: processIo(), end: () => undefined }));

test('the program that `bin` names runs through a link as npm makes it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'giro-bin-'));
  try {
    const link = join(folder, 'giro');
    symlinkSync(join(packageRoot, 'dist', 'src', 'starter.js'), link);
    expect(execFileSync(link, ['--version'], { encoding: 'utf8' })).toBe(`${VERSION}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a process that ends before its command has a result does not exit with 0', () => {
  const starter = join(packageRoot, 'dist', 'src', 'starter.js');
  const never = `require('commander').Command.prototype.parseAsync = () => new Promise(() => undefined);`;
  const run = `${never} process.argv.splice(1, 0, ${JSON.stringify(starter)}); require('module').runMain(${JSON.stringify(starter)});`;
  const { status } = spawnSync(process.execPath, ['-e', run], { cwd: packageRoot });
  expect(status).toBe(1);
});

describe('usage', () => {
  test.each(COMMANDS.map((words) => [words.join(' '), words] as const))(
    '--help of giro %s names it',
    async (name, words) => {
      const { code, stdout, stderr } = await giro([...words, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(new RegExp(`^Usage: giro ${name} `));
    },
  );

  test.each(COMMANDS.map((words) => [words.join(' '), words] as const))(
    'help %s prints the same as its --help',
    async (_name, words) => {
      const help = await giro(['help', ...words]);
      expect(help).toEqual(await giro([...words, '--help']));
    },
  );

  test('help prints that of the program, help of a group that of the group', async () => {
    expect(await giro(['help'])).toEqual(await giro(['--help']));
    expect(await giro(['help', 'transfer'])).toEqual(await giro(['transfer', '--help']));
  });

  test('--version is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
      version: string;
    };
    expect(VERSION).toBe(version);
    expect(await giro(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  test.each([
    ['nothing', [], 'Usage: giro '],
    ['a group alone', ['transfer'], 'Usage: giro transfer '],
    ['an unknown command', ['pay'], "unknown command 'pay'"],
    ['an unknown command of a group', ['transfer', 'undo'], "unknown command 'undo'"],
    ['help of an unknown command', ['help', 'pay'], 'Usage: giro '],
    ['help of an unknown command of a group', ['help', 'transfer', 'undo'], 'Usage: giro transfer '],
    ['an unknown option', ['setup', '--force'], "unknown option '--force'"],
    ['a missing argument', ['transfer', 'start'], "missing required argument 'file'"],
    ['an argument too many', ['transfer', 'show', '1', '2'], 'too many arguments'],
    ['an originId with a fraction', ['transfer', 'show', '1.0'], 'whole number'],
    ['originId 0', ['transfer', 'show', '0'], 'whole number'],
    ['an originId over 2^53', ['transfer', 'show', '9007199254740993'], 'whole number'],
    ['a limit of 0', ['transfer', 'list', '--limit', '0'], 'from 1 to 10000'],
    ['a limit over the bound', ['transfer', 'list', '--limit', '10001'], 'from 1 to 10000'],
    [
      'a status with spaces',
      ['transfer', 'list', '--status', 'IN PROGRESS'],
      'a status of the bank in capitals',
    ],
    [
      'a duration without unit',
      ['transfer', 'start', '-', '--wait', '--timeout', '30'],
      'Expected a duration',
    ],
    ['a time-out without --wait', ['transfer', 'start', '-', '--timeout', '30s'], 'needs --wait'],
    ['a kid without a key', ['transfer', 'start', '-', '--sign-kid', 'billing'], 'needs --sign-key'],
    ['a key that is not there', ['transfer', 'start', '-', '--sign-key', '/nowhere'], 'does not exist'],
    ['a time without zone', ['annulment', 'list', '--since', '2026-01-31T09:00:00'], 'Expected a time'],
    [
      'a year of five digits in UTC',
      ['annulment', 'list', '--since', '9999-12-31T23:59:59-03:00'],
      'Expected a time',
    ],
    ['the year 0', ['reconcile', 'show', '0000-01-01T00:00:00Z'], 'Expected a time'],
    ['a day that is not', ['annulment', 'list', '--since', '2026-02-30'], 'Expected a time'],
    ['no movement', ['movement', 'show'], 'exactly one of'],
    ['two movements', ['movement', 'show', '--origin-id', '1', '--network-id', 'A'], 'exactly one of'],
    ['a quote in an id', ['movement', 'show', '--network-id', "a' OR 1=1"], '1 to 64 letters'],
    ['a port over 65535', ['sandbox-bank', '--port', '65536'], 'from 0 to 65535'],
  ])('%s: exit 2, told on stderr', async (_name, args, message) => {
    const { code, stdout, stderr } = await giro(args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test.each([
    ['setup', ['DATABASE_URL']],
    ['transfer list', ['DATABASE_URL']],
    ['transfer show 1', ['DATABASE_URL']],
    ['annulment list', ['DATABASE_URL']],
    ['movement show --debin-id 1', ['BANK_BASE_URL', 'BANK_TOKEN']],
    ['movement show --origin-id 1', ['BANK_BASE_URL', 'BANK_TOKEN', 'DATABASE_URL']],
    ['worker', ['BANK_BASE_URL', 'BANK_TOKEN', 'DATABASE_URL']],
  ])('%s asks for what it needs, all at once', async (line, variables) => {
    const { code, stderr, log } = await giro(line.split(' '), { env: {} });
    expect(code).toBe(2);
    const told = line === 'worker' ? String(log[0]?.['msg']) : stderr;
    expect(variables.filter((name) => told.includes(`${name} is not set`))).toEqual(variables);
    expect(told.match(/ is not set/g)).toHaveLength(variables.length);
  });
});

test('the log of a worker with every setting wrong cuts no error off', async () => {
  const env = Object.fromEntries(VARIABLES.map(({ name }) => [name, '\u0001']));
  const { code, log } = await giro(['worker'], { env });
  expect(code).toBe(2);
  const told = log.map(({ msg }) => msg).join('\n');
  const count = Number(/^configuration: (\d+) errors/.exec(told)?.[1]);
  expect(count).toBeGreaterThan(80);
  expect(told.match(/; allowed: /g)).toHaveLength(count);
  expect(log.every(({ level, exitCode }) => level === 'fatal' && exitCode === 2)).toBe(true);
});

describe('a server that cannot be reached', () => {
  const lines = [
    ['annulment list', ['PostgreSQL at 127.0.0.1:1/giro']],
    ['transfer list', ['Temporal at 127.0.0.1:1']],
    ['transfer show 1', ['Temporal at 127.0.0.1:1']],
    ['transfer start -', ['Temporal at 127.0.0.1:1']],
    ['setup', ['PostgreSQL at 127.0.0.1:1/giro', 'Temporal at 127.0.0.1:1']],
  ] as const;

  test('exit 4 with a sentence that names it, and Temporal is given less than ten seconds', async () => {
    const connect = jest.spyOn(Connection, 'connect');
    // Together, because each has to wait for the time that a server is given.
    const ends = await Promise.all(
      lines.map(async ([line]) => {
        const startedMs = Date.now();
        const end = await giro(line.split(' '), { stdin: JSON.stringify(order(1)) });
        return { ...end, tookMs: Date.now() - startedMs };
      }),
    );
    const givenMs = connect.mock.calls.map(([options]) => Number(options?.connectTimeout));
    connect.mockRestore();
    ends.forEach(({ code, stdout, stderr, tookMs }, i) => {
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      for (const place of lines[i]?.[1] ?? []) expect(stderr).toContain(`${place} cannot be reached`);
      expect(stderr).not.toContain('swordfish');
      // Far more than the time that is given: a busy machine adds to it.
      expect(tookMs).toBeLessThan(120_000);
    });
    expect(givenMs).toHaveLength(4);
    for (const ms of givenMs) expect(ms).toBeLessThan(10_000);
  });

  test('the worker says it in its log', async () => {
    const env = { ...NO_SERVERS, BANK_BASE_URL: 'http://127.0.0.1:1', BANK_TOKEN: 'swordfish' };
    const { code, stderr, log } = await giro(['worker'], { env });
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
    expect(log).toMatchObject([
      { level: 'fatal', exitCode: 4, msg: 'Temporal at 127.0.0.1:1 cannot be reached' },
    ]);
  });
});

describe('sandbox-bank', () => {
  test('serves, says so in the log, and ends with its signal', async () => {
    const { code, stdout, log } = await giro(['sandbox-bank', '--http'], { env: {} });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(log).toMatchObject([{ level: 'info', msg: 'ready', baseUrl: expect.stringMatching(/^http:/) }]);
  });

  test('the line that says that it serves is written at any LOG_LEVEL', async () => {
    const { log } = await giro(['sandbox-bank', '--http'], { env: { LOG_LEVEL: 'error' } });
    expect(log.map(({ msg }) => msg)).toEqual(['ready']);
  });

  test('the numbers of a rules file keep all digits', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'giro-rules-'));
    const stop = new AbortController();
    try {
      const file = join(folder, 'rules.json');
      const rules =
        '[{"match":{"originId":9007199254740993},"echo":[{"set":{"details.amount":100.10},"until":2}]}]';
      writeFileSync(file, rules);
      const port = await deadPort();
      const args = ['sandbox-bank', '--http', '--port', String(port), '--rules', file];
      const ended = giro(args, { env: {}, stop: stop.signal });
      const served = async (): Promise<string> => {
        const answer = await fetch(`http://127.0.0.1:${port}/sandbox/rules`).catch(() => null);
        if (answer !== null) return answer.text();
        return stop.signal.aborted ? 'never' : served();
      };
      expect(await Promise.race([served(), ended])).toBe(rules);
      stop.abort();
      expect((await ended).code).toBe(0);
    } finally {
      stop.abort();
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    ['a rules file that is not there', ['--rules', '/nowhere.json'], 'cannot be read (ENOENT)'],
    ['a token file that is not there', ['--token-file', '/nowhere'], 'does not exist'],
    ['an address of another machine', ['--host', '192.0.2.1'], 'EADDRNOTAVAIL'],
    ['a host name that does not exist', ['--host', 'nowhere.invalid'], 'nowhere.invalid'],
  ])('%s: exit 2', async (_name, args, message) => {
    const { code, log } = await giro(['sandbox-bank', ...args], { env: {} });
    expect(code).toBe(2);
    expect(log.at(-1)).toMatchObject({ level: 'fatal', msg: expect.stringContaining(message) });
  });
});
