import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findTemporalCli } from '../../dev/temporal-cli';
import { commandsOf, partsOf } from './runbook-commands';

const commands = commandsOf(/^temporal (.*)$/);

/** The CLI is there where the servers are. */
test('the Temporal CLI has every command of the pages, with these options', async () => {
  const cli = await findTemporalCli({ env: process.env, log: () => undefined });
  expect(commands.length).toBeGreaterThan(5);
  const printed = async (...args: readonly string[]) => (await promisify(execFile)(cli, args)).stdout;
  const ofEveryCommand = await printed('options');
  for (const [page, line] of commands) {
    const { named, options } = partsOf(line);
    const help = await printed(...named, '--help');
    expect(`${page}: ${help}`).toContain(`temporal ${named.join(' ')} [flags]`);
    for (const option of options)
      expect(`${page}: ${help}${ofEveryCommand}`).toMatch(new RegExp(`${option}[ ,]`));
  }
});
