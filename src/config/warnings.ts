import type { Env } from './env';
import type { Variable } from './variable';
import { VARIABLES } from './variables';

/** Prefixes that only Giro uses: any unknown name with one of them deserves a warning. */
const OWN_PREFIXES: ReadonlySet<string> = new Set(['GIRO', 'BANK']);

const NAME_MAX_LENGTH = 60;
const TYPO_DISTANCE_MAX = 2;

/**
 * Warnings about variables that are set and that Giro does not know: probably misspelt names. Names only, never values.
 * Temporal's variables are left out, because other programs read more of them than Giro does.
 */
export function configWarnings(env: Env, variables: readonly Variable[] = VARIABLES): readonly string[] {
  const known = variables.map(({ name }) => name);
  const prefixes = new Set(known.map(firstWord));
  const warnings: string[] = [];
  for (const name of Object.keys(env).sort()) {
    if (known.includes(name)) continue;
    const prefix = firstWord(name.toUpperCase());
    if (!prefixes.has(prefix) || prefix === 'TEMPORAL' || name.length > NAME_MAX_LENGTH) continue;
    const meant = closest(name.toUpperCase(), known);
    if (meant !== null)
      warnings.push(`${name} is not a variable of Giro and is ignored: did you mean ${meant}?`);
    else if (OWN_PREFIXES.has(prefix)) warnings.push(`${name} is not a variable of Giro and is ignored`);
  }
  return warnings;
}

function firstWord(name: string): string {
  return name.split('_', 1)[0] ?? name;
}

function closest(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = TYPO_DISTANCE_MAX + 1;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(at(row, j - 1) + 1, at(previous, j) + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, at(beforePrevious, j - 2) + 1);
      }
      row.push(least);
    }
    [beforePrevious, previous] = [previous, row];
  }
  return at(previous, b.length);
}

const at = (row: readonly number[], i: number): number => row[i] ?? Infinity;
