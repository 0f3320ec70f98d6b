import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { packageRoot } from '../package-root';
import { Scope } from '../scope';
import { PLANTED_BUGS } from './bugs';
import { copyOfCheckout, plant } from './copy';
import { REPORT, withTable } from './report';
import { failureWithoutBug, whatCatches } from './catch';
import type { Caught } from './catch';

/**
 * `npm run planted-bugs`: plants one bug at a time into a copy of the checkout, and runs the tests that must notice it.
 * Exits 1 when a bug goes unnoticed, or when tests that noticed a bug fail without the bug too.
 */
async function main(): Promise<void> {
  const command = new Command('npm run planted-bugs --')
    .description('Plants one bug at a time into a copy of this checkout, and reports which test notices it.')
    .option('--only <text>', 'bugs whose name has this text')
    .option('--list', 'print the names')
    .option('--write', `write each into the table of ${REPORT}`)
    .parse();
  const { only = '', list, write } = command.opts<{ only?: string; list?: true; write?: true }>();
  const bugs = PLANTED_BUGS.filter(({ name }) => name.includes(only));
  if (bugs.length === 0) command.error(`no bug has ${JSON.stringify(only)} in its name`, { exitCode: 2 });
  if (list === true) {
    for (const { name } of bugs) process.stdout.write(`${name}\n`);
    return;
  }
  const scope = new Scope();
  const caught: Caught[] = [];
  /** Tests that passed without a bug. */
  const passed = new Set<string>();
  let inconclusive = 0;
  const page = join(packageRoot, REPORT);
  try {
    const folder = copyOfCheckout(scope);
    for (const [index, bug] of bugs.entries()) {
      const pulled = plant(folder, bug);
      const { caught: one, run } = await whatCatches(folder, bug).finally(pulled);
      const failure = run === null ? null : await failureWithoutBug(folder, run, passed);
      if (failure !== null) {
        inconclusive += 1;
        process.stdout.write(
          `${index + 1} of ${bugs.length}  ${bug.name}\n    ${failure.file} fails without the bug too: ${failure.test}\n`,
        );
        continue;
      }
      caught.push(one);
      if (write === true) writeFileSync(page, withTable(readFileSync(page, 'utf8'), [one]));
      const by = one.by === null ? 'NOT NOTICED' : `${one.seconds} s  ${one.by.file}: ${one.by.test}`;
      process.stdout.write(`${index + 1} of ${bugs.length}  ${bug.name}\n    ${by}\n`);
    }
  } finally {
    await scope.release();
  }
  const missed = caught.filter(({ by }) => by === null);
  process.stdout.write(
    `${caught.length - missed.length} noticed, ${missed.length} not, ${inconclusive} inconclusive\n`,
  );
  if (missed.length + inconclusive > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
