import { RequestLog } from '../../src/sandbox-bank/book/request-log';

const T = Date.parse('2026-01-01T00:00:00Z');

beforeEach(() => {
  jest.useFakeTimers({ now: T });
});
afterEach(() => {
  jest.useRealTimers();
});

test.each([
  { end: 'an answer that the client does not take', status: 200 },
  { end: 'a connection that the bank ends', status: null },
])('$end: the request ends when the bank ends it, not when the connection is found closed', ({ status }) => {
  const log = new RequestLog();
  const record = log.arrived('transfer-request', null);
  record.outcome = 'any';
  jest.setSystemTime(T + 100);
  log.finished(record, status);
  jest.setSystemTime(T + 900);
  log.broken(record);
  expect(record).toMatchObject({
    ...{ at: '2026-01-01T00:00:00.000Z', finishedAt: '2026-01-01T00:00:00.100Z' },
    ...{ status: null, outcome: 'any' },
  });
});

test('an answer to a client that is known to be gone counts as none', () => {
  const log = new RequestLog();
  const record = log.arrived('transfer-request', null);
  log.broken(record);
  jest.setSystemTime(T + 100);
  log.finished(record, 200);
  expect(record).toMatchObject({ finishedAt: '2026-01-01T00:00:00.000Z', status: null });
});

test('a client that is gone ends the request when the bank finds it gone', () => {
  const log = new RequestLog();
  const record = log.arrived('get-movement', null);
  jest.setSystemTime(T + 100);
  log.broken(record);
  expect(record).toMatchObject({
    ...{ finishedAt: '2026-01-01T00:00:00.100Z', status: null, outcome: 'client-gone' },
  });
});
