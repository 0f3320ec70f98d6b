import { isDay } from '../domain/calendar';

/** The `asOf` of a run and the transfers that it covers; ISO UTC to the second. */
export interface RunWindow {
  readonly asOf: string;
  readonly from: string;
  readonly to: string;
  /** The caller chose no window: the run also checks everything open, and finals that were never confirmed. */
  readonly isDefault: boolean;
  /** A statement that was read into the journal; null: none. */
  readonly statementId: number | null;
}

/** Argument of workflow `reconciliation` (contract section 3). */
export interface RunInput {
  readonly asOf?: string | null;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly statementId?: number | null;
}

/** Local days of the default window, including the day of `asOf`. */
const DAYS = 3;
const DAY_MS = 86_400_000;
/** America/Argentina/Buenos_Aires has kept UTC−3 all the year since 2009. */
const UTC_OFFSET_MS = -3 * 3_600_000;
/** Days around these times still have a year of four digits, which PostgreSQL and Temporal can read. */
const FIRST_MS = Date.parse('1970-01-01T00:00:00Z');
const END_MS = Date.parse('9999-01-01T00:00:00Z');
const FIELDS: ReadonlySet<string> = new Set(['asOf', 'from', 'to', 'statementId']);
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

export type WindowReading =
  | { readonly ok: true; readonly window: RunWindow }
  /** The field and its rule, never a value. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** The window of a run; `defaultAsOf`: the scheduled time, or that of the start. */
export function readWindow(input: unknown, defaultAsOf: string): WindowReading {
  if (input !== null && input !== undefined && (typeof input !== 'object' || Array.isArray(input))) {
    return { ok: false, problems: ['the argument must be an object {asOf, from, to}'] };
  }
  const given = (input ?? {}) as Record<string, unknown>;
  const problems = Object.keys(given)
    .filter((name) => !FIELDS.has(name))
    .map((name) => (/^\w{1,40}$/.test(name) ? `${name}: is not known` : 'a field is not known'));
  const instant = (name: 'asOf' | 'from' | 'to'): string | null => {
    const value = given[name] ?? null;
    if (value === null) return null;
    const at = typeof value === 'string' && INSTANT.test(value) && isDay(value) ? Date.parse(value) : NaN;
    if (Number.isNaN(at)) problems.push(`${name}: must be a time such as 2026-01-31T09:00:00Z`);
    else if (at < FIRST_MS || at >= END_MS) problems.push(`${name}: must be of the years 1970 to 9998`);
    else return toSecond(at);
    return null;
  };
  const asOf = instant('asOf') ?? toSecond(Date.parse(defaultAsOf));
  const [from, to] = [instant('from'), instant('to')];
  const statementId = given['statementId'] ?? null;
  if (statementId !== null && !(Number.isSafeInteger(statementId) && (statementId as number) > 0)) {
    problems.push('statementId: must be that of a statement in the journal');
  }
  const window: RunWindow = {
    asOf,
    from: from ?? firstLocalDay(to ?? asOf),
    to: to ?? asOf,
    isDefault: from === null && to === null,
    statementId: statementId as number | null,
  };
  if (problems.length === 0 && Date.parse(window.from) > Date.parse(window.to)) {
    problems.push('from: must not be later than to');
  }
  return problems.length === 0 ? { ok: true, window } : { ok: false, problems };
}

/** The id of the run for an `asOf`. */
export const reconciliationWorkflowId = (asOf: string): string => `reconciliation-${asOf}`;

/** `2026-01-31T09:00:00Z`: ISO UTC to the second, the form of asOf in ids and reports. */
export const toSecond = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** The first second after a window, because `to` belongs to the window with its complete second. */
export const secondAfter = (to: string): string => toSecond(Date.parse(to) + 1_000);

/** Local midnight with which the last days begin. */
function firstLocalDay(to: string): string {
  const local = Date.parse(to) + UTC_OFFSET_MS;
  return toSecond(Math.floor(local / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS - UTC_OFFSET_MS);
}
