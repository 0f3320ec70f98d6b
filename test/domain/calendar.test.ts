import fc from 'fast-check';
import { isDay } from '../../src/domain/calendar';

test('the days of the calendar, and no others', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9_999 }), fc.nat(13), fc.nat(32), (year, month, day) => {
      const text = [String(year).padStart(4, '0'), month, day]
        .map((n) => String(n).padStart(2, '0'))
        .join('-');
      const date = new Date(`${text}T00:00:00Z`);
      const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
      expect(isDay(text)).toBe(isReal);
      expect(isDay(`${text}T10:00:00-03:00`)).toBe(isReal);
    }),
    {
      numRuns: 2_000,
      examples: [
        [2024, 2, 29],
        [2026, 2, 29],
        [2000, 2, 29],
        [1900, 2, 29],
      ],
    },
  );
  for (const text of ['', '2026', '2026-1-1', 'soon']) expect(isDay(text)).toBe(false);
});
