import { readMigrations } from '../../src/journal/migration-files';

/**
 * A day, week, month or year added to a time follows the session's time zone, which each login can set: with a made-up
 * zone, 365 days take up to 372. So the rules of the database count hours.
 */
const CALENDAR = /interval\s+'[^']*(day|week|month|year)|make_interval\([^)]*\b(days|weeks|months|years)\b/gi;

test('no rule of the database depends on the time zone of a session', async () => {
  const found = (await readMigrations()).flatMap(({ name, sql }) =>
    [...sql.matchAll(CALENDAR)].map(([text]) => `${name}: ${text}`),
  );
  expect(found).toEqual([]);
  expect(`now() - interval '31 days'`).toMatch(CALENDAR);
});
