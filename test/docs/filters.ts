import { readFileSync } from 'node:fs';
import path from 'node:path';

export const OPERATIONS = readFileSync(path.join(__dirname, '../../docs/operations.md'), 'utf8');

/** The questions of docs/operations.md with their list filters. */
export function filters(): ReadonlyMap<string, string> {
  const rows = [...OPERATIONS.matchAll(/^\| ([^|]+?) +\| `([A-Z][^`|]+)` +\|$/gm)];
  return new Map(rows.map(([, question = '', filter = '']) => [question, filter]));
}
