import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function findPackageRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error(`no package.json at or above ${__dirname}`);
  return findPackageRoot(parent);
}

/** The checkout: the same whether this file runs from `dev/` (jest) or from `dist/dev/`. */
export const packageRoot = findPackageRoot(__dirname);
