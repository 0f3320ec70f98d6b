const TIME = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}):(\d{2}):(\d{2})$/;

/** `22/11/2026 09:00:00`, Buenos Aires time, in ISO UTC; null: not a time. */
export function readLocalTime(text: string): string | null {
  const [, day, month, year, hour, minute, second] = TIME.exec(text) ?? [];
  if (day === undefined) return null;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}-03:00`);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
