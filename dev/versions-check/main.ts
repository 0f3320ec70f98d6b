import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { packageRoot } from '../package-root';
import { Scope } from '../scope';
import { releaseOnSignals } from '../signals';
import { PAGE, withTrials } from './page';
import { tryVersion, VERSIONS } from './trials';
import type { Part } from './trials';

type Choice = Readonly<Partial<Record<Part, readonly number[]>>>;

/** `npm run versions-check`: runs Giro on each supported version of Node.js and PostgreSQL. */
async function main(args: readonly string[]): Promise<void> {
  const { write, ...choice } = optionsOf(args);
  const scope = new Scope();
  const letSignalsBe = releaseOnSignals(scope);
  let failed = 0;
  let passed = 0;
  try {
    for (const part of Object.keys(VERSIONS) as Part[])
      for (const major of choice[part] ?? []) {
        process.stdout.write(`${part} ${major} … `);
        const trial = await tryVersion(scope, part, major, process.env);
        process.stdout.write(
          `${trial.version} ${trial.failure === null ? 'ok' : `FAILED\n${trial.failure}`}\n`,
        );
        if (trial.failure === null) passed += 1;
        else failed += 1;
        if (write && trial.failure === null) writeRow(trial);
      }
  } finally {
    await scope.release();
    letSignalsBe();
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}

function writeRow(trial: Parameters<typeof withTrials>[1][number]): void {
  const page = join(packageRoot, PAGE);
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(page, withTrials(readFileSync(page, 'utf8'), [trial], day));
}

function optionsOf(args: readonly string[]): Choice & { readonly write: boolean } {
  const list = (part: Part) => (text: string) => {
    const known: readonly number[] = VERSIONS[part];
    const asked = text === 'none' ? [] : text.split(',').map(Number);
    const strange = asked.find((it) => !known.includes(it));
    if (strange !== undefined) throw new InvalidArgumentError(`each one of ${known.join(', ')}, or none`);
    return asked;
  };
  const command = new Command('npm run versions-check --')
    .description(
      'Runs the demo on each supported version of Node.js and PostgreSQL, and the tests of the journal on each PostgreSQL.',
    )
    .option('--node <majors>', 'comma-separated, or none', list('Node'), [...VERSIONS.Node])
    .option('--postgres <majors>', 'comma-separated, or none', list('PostgreSQL'), [...VERSIONS.PostgreSQL])
    .option('--write', `write what passed into the table of ${PAGE}`)
    .parse(args, { from: 'user' });
  const {
    node,
    postgres,
    write = false,
  } = command.opts<{
    node: readonly number[];
    postgres: readonly number[];
    write?: boolean;
  }>();
  return { Node: node, PostgreSQL: postgres, write };
}

/** Started by its task in dev/bootstrap, which finds the Temporal CLI. */
void main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
