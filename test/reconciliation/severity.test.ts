import { DIFFERENCES, SUB_CASES, severityOf } from '../../src/reconciliation/differences';

const DAY_MS = 86_400_000;
const small = { currency: '032', value: '9999999.99' };
const large = { currency: '032', value: '10000000.00' };

test.each([
  ['COMPLETED_NOT_FOUND', small, 0, 'high'],
  ['COMPLETED_NOT_FOUND', small, 3 * DAY_MS, 'critical'],
  ['COMPLETED_NOT_FOUND', large, 0, 'critical'],
  ['COMPLETED_NOT_FOUND', large, 30 * DAY_MS, 'critical'],
  ['COMPLETED_NOT_FOUND', null, 0, 'high'],
  // No money went out by either book: the sum says nothing.
  ['FAILED_NOT_FOUND', large, 0, 'medium'],
  ['FAILED_NOT_FOUND', large, 3 * DAY_MS, 'high'],
  ['RUN_MISSING', small, 3 * DAY_MS - 1, 'medium'],
  ['RUN_MISSING', large, 3 * DAY_MS, 'critical'],
  ['FINAL_LATE', large, 30 * DAY_MS, 'low'],
  ['REFUSED_BUT_KNOWN', small, 0, 'critical'],
] as const)('%s of %j, %d ms old: %s', (subCase, amount, ageMs, severity) => {
  expect(severityOf(subCase, amount, ageMs)).toBe(severity);
});

test('each has its reason and a sentence that ends nowhere twice', () => {
  for (const subCase of SUB_CASES) {
    const { why, says } = DIFFERENCES[subCase];
    expect(why.length).toBeGreaterThan(10);
    expect(says).toMatch(/^[a-z].*[^.]$/);
  }
});
