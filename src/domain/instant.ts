/**
 * An ISO 8601 date or time, in ms since 1970; null: it does not exist. `Date.parse` alone turns February 30 into
 * March 2.
 */
export function instantMs(text: string): number | null {
  const ms = Date.parse(text);
  const [year, month, day] = [text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)].map(Number);
  const lastDay = new Date(Date.UTC(year ?? NaN, month ?? NaN, 0)).getUTCDate();
  return !Number.isNaN(ms) && (day ?? NaN) <= lastDay ? ms : null;
}
