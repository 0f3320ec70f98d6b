/** No bank asks for more in earnest; a larger value would park a transfer. */
const RETRY_AFTER_MAX_MS = 86_400_000;

/** RFC 9110 IMF-fixdate, the only form that servers may write. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Retry-After (seconds or HTTP date) in ms from `nowMs`, at most a day; null when it says nothing usable. */
export function parseRetryAfter(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^[0-9]{1,15}$/.test(text)) return Math.min(Number(text) * 1000, RETRY_AFTER_MAX_MS);
  if (!HTTP_DATE.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.min(Math.max(at - nowMs, 0), RETRY_AFTER_MAX_MS);
}
