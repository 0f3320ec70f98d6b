import fc from 'fast-check';
import { DURATION_MAX_MS, formatDuration, parseDuration } from '../../src/config/duration';

test.each([
  ['500ms', 500],
  ['5s', 5_000],
  ['10m30s', 630_000],
  ['5m500ms', 300_500],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
  ['1d1h1m1s1ms', 90_061_001],
  ['0s', 0],
  ['05s', 5_000],
  ['90m', 5_400_000],
  ['366d', DURATION_MAX_MS],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toEqual({ ok: true, ms });
});

test.each([
  ['30', 'no-unit'],
  ['', 'not-a-duration'],
  ['s', 'not-a-duration'],
  ['-5s', 'not-a-duration'],
  ['+5s', 'not-a-duration'],
  ['1.5h', 'not-a-duration'],
  ['5 s', 'not-a-duration'],
  [' 5s', 'not-a-duration'],
  ['5S', 'not-a-duration'],
  ['5sec', 'not-a-duration'],
  ['30s10m', 'not-a-duration'],
  ['5s5s', 'not-a-duration'],
  ['5w', 'not-a-duration'],
  ['٥s', 'not-a-duration'],
  ['1e3s', 'not-a-duration'],
  ['5s\n', 'not-a-duration'],
  ['9999999999999s', 'not-a-duration'],
  ['999999999999d', 'too-long'],
  ['366d1ms', 'too-long'],
])('%j is refused: %s', (text, problem) => {
  expect(parseDuration(text)).toEqual({ ok: false, problem });
});

test('every duration up to the limit survives being written and read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: DURATION_MAX_MS }), (ms) => {
      expect(parseDuration(formatDuration(ms))).toEqual({ ok: true, ms });
    }),
  );
});

test('whatever is read is a whole number of milliseconds within the limit', () => {
  const part = fc
    .tuple(fc.nat(), fc.constantFrom('d', 'h', 'm', 's', 'ms', ''))
    .map(([n, unit]) => `${n}${unit}`);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const parsed = parseDuration(parts.join(''));
      if (!parsed.ok) return;
      expect(Number.isSafeInteger(parsed.ms)).toBe(true);
      expect(parsed.ms).toBeGreaterThanOrEqual(0);
      expect(parsed.ms).toBeLessThanOrEqual(DURATION_MAX_MS);
    }),
  );
});
