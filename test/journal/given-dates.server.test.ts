import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';

// The bank gives these dates, so a login can set them. One that no reader can write as ISO text would stop every list.

let db: TestJournal;
beforeAll(async () => {
  db = await openTestJournal();
});
afterAll(() => db.close());

const UNREADABLE = ['infinity', '-infinity', '0044-03-15 BC', '10000-01-01 00:00:00+00'];

test.each([...UNREADABLE, '0001-01-01 12:00:00+00', '9999-12-31 12:00:00+00'])(
  'no booking at %s',
  async (date) => {
    const booking = `insert into giro.statement_line (statement_id, line, ordinal, direction, amount, currency, booked_at)
    values (giro.begin_statement(), 1, 1, 'debit', 1, '032', $1::timestamptz)`;
    await expect(db.sql(booking, [date])).rejects.toMatchObject({ code: '23514' });
  },
);

test.each(UNREADABLE)("no verification's status at %s", async (date) => {
  await db.sql(`insert into giro.verification (request_id) values ('r') on conflict do nothing`);
  const status = `insert into giro.verification_status (request_id, seq, status, meaning, status_at, evidence_sha256)
    values ('r', 1, 'Pendiente', 'pending', $1::timestamptz, repeat('a', 64))`;
  await expect(db.sql(status, [date])).rejects.toMatchObject({ code: '23514' });
});
