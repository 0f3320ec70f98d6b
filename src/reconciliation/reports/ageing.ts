import { SEVERITIES } from '../break';
import type { Break, Severity } from '../break';

const DAY_MS = 86_400_000;
const BANDS = [
  { label: 'under a day', underMs: DAY_MS },
  { label: '1–3 days', underMs: 3 * DAY_MS },
  { label: '3–7 days', underMs: 7 * DAY_MS },
  { label: '7–30 days', underMs: 30 * DAY_MS },
  { label: 'over 30 days', underMs: Infinity },
] as const;

export interface AgeBand {
  readonly label: string;
  readonly bySeverity: Readonly<Record<Severity, number>>;
}

/** Unresolved breaks by how long they have been known at `asOf`; every band is there, also an empty one. */
export function ageing(breaks: readonly Break[], asOf: string): AgeBand[] {
  const bands = BANDS.map(({ label }) => ({ label, bySeverity: noneOfEach() }));
  for (const one of breaks.filter(({ state }) => state !== 'resolved')) {
    const ageMs = Date.parse(asOf) - Date.parse(one.firstSeen);
    const band = bands[BANDS.findIndex(({ underMs }) => ageMs < underMs)];
    if (band !== undefined) band.bySeverity[one.severity] += 1;
  }
  return bands;
}

const noneOfEach = () =>
  Object.fromEntries(SEVERITIES.map((severity) => [severity, 0])) as Record<Severity, number>;
