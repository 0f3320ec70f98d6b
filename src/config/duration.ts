/**
 * Durations of the configuration: whole numbers with `d`, `h`, `m`, `s`, `ms`, joined from the largest unit to the
 * smallest, each at most once (`10m30s`).
 */

/** A little over a year: a longer duration is probably a mistake. */
export const DURATION_MAX_MS = 366 * 86_400_000;

export type DurationProblem = 'no-unit' | 'not-a-duration' | 'too-long';

export type ParsedDuration =
  { readonly ok: true; readonly ms: number } | { readonly ok: false; readonly problem: DurationProblem };

const DURATION =
  /^(?:([0-9]{1,12})d)?(?:([0-9]{1,12})h)?(?:([0-9]{1,12})m(?!s))?(?:([0-9]{1,12})s)?(?:([0-9]{1,12})ms)?$/;

const UNITS = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'm', ms: 60_000 },
  { unit: 's', ms: 1_000 },
  { unit: 'ms', ms: 1 },
] as const;

export function parseDuration(text: string): ParsedDuration {
  if (/^[0-9]+$/.test(text)) return { ok: false, problem: 'no-unit' };
  const match = DURATION.exec(text);
  if (match === null || text === '') return { ok: false, problem: 'not-a-duration' };
  const ms = UNITS.reduce((total, unit, i) => total + unit.ms * Number(match[i + 1] ?? 0), 0);
  return ms <= DURATION_MAX_MS ? { ok: true, ms } : { ok: false, problem: 'too-long' };
}

/** The shortest spelling that `parseDuration` reads back: `630000` → `10m30s`, `0` → `0s`. */
export function formatDuration(durationMs: number): string {
  let restMs = durationMs;
  let text = '';
  for (const { unit, ms } of UNITS) {
    const count = Math.floor(restMs / ms);
    if (count > 0) text += `${count}${unit}`;
    restMs -= count * ms;
  }
  return text === '' ? '0s' : text;
}
