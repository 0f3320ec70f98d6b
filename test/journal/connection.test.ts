import { Client, DatabaseError } from 'pg';
import { ownerConnection, placeOf, runtimeConnection } from '../../src/journal/connection';
import {
  JournalNotReady,
  JournalStatementError,
  JournalUnavailable,
  journalError,
} from '../../src/journal/errors';

const URL_WITH_OPTIONS =
  'postgresql://giro:p%40ss@db.example:6432/giro?options=-c%20work_mem%3D8MB&sslmode=verify-full';

test('options of the address are kept, and the role comes last, so that it wins', () => {
  const address = new URL(runtimeConnection(URL_WITH_OPTIONS, 'giro_client').connectionString!);
  expect(address.searchParams.get('options')).toMatch(/^-c work_mem=8MB -c role=giro_client /);
  expect(address.searchParams.get('sslmode')).toBe('verify-full');
  expect(address.password).toBe('p%40ss');
  expect(ownerConnection(URL_WITH_OPTIONS).connectionString).not.toContain('giro_runtime');
});

test.each(['postgresql:///giro', 'postgresql:///giro?host=', 'postgresql:///giro?host=db.example&host='])(
  '%s never leads where PGHOST says',
  (url) => {
    const address = new URL(runtimeConnection(url, 'login').connectionString!);
    expect(address.searchParams.getAll('host')).toEqual(['localhost']);
  },
);

test('the address cannot replace the time limits', () => {
  const url = 'postgresql://u@127.0.0.1/d?statement_timeout=0&query_timeout=0&connectionTimeoutMillis=0';
  const { connectionParameters } = new Client(runtimeConnection(url, 'login')) as unknown as {
    connectionParameters: { statement_timeout: number; query_timeout: number; connect_timeout: number };
  };
  expect(connectionParameters).toMatchObject({
    ...{ statement_timeout: 5_000, query_timeout: 7_000, connect_timeout: 5 },
  });
});

test('the place names the server, and neither login nor password', () => {
  expect(placeOf(URL_WITH_OPTIONS)).toBe('db.example:6432/giro');
  expect(placeOf('postgresql://giro:secret@db.example/giro')).toBe('db.example:5432/giro');
  expect(placeOf('postgresql:///giro?host=/run/postgresql')).toBe('/run/postgresql:5432/giro');
});

test('an address that cannot be read stays out of the message', () => {
  expect(() => runtimeConnection('postgresql://giro:hunter2@:port/x', 'giro_runtime')).toThrow(
    new JournalNotReady('DATABASE_URL is not the address of a PostgreSQL database'),
  );
});

function databaseError(code: string, message: string): DatabaseError {
  const error = new DatabaseError(message, 0, 'error');
  error.code = code;
  error.detail = 'Failing row contains (Ana Pérez, 20218346414)';
  return error;
}

test.each([
  ['57P01', JournalUnavailable],
  ['57P03', JournalUnavailable],
  ['57014', JournalUnavailable],
  ['08006', JournalUnavailable],
  ['53300', JournalUnavailable],
  ['28P01', JournalUnavailable],
  ['25006', JournalUnavailable],
  ['25P04', JournalUnavailable],
  ['58030', JournalUnavailable],
  ['40P01', JournalUnavailable],
  ['42P01', JournalNotReady],
  ['42501', JournalNotReady],
  ['23505', JournalStatementError],
  ['22P02', JournalStatementError],
])('SQLSTATE %s', (code, kind) => {
  const mapped = journalError(
    databaseError(code, 'value "20218346414" is wrong'),
    'some-statement',
    'h:1/d',
    'login',
  );
  expect(mapped).toBeInstanceOf(kind);
  if (mapped instanceof JournalUnavailable)
    expect(mapped.hasTimedOut).toBe(code === '57014' || code === '25P04');
  expect(String(mapped) + JSON.stringify(mapped)).not.toMatch(/20218346414|Ana/);
  expect((mapped as Error).cause).toBeUndefined();
});

test('a host with several addresses fails with one of their errors', () => {
  const error = new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]);
  expect(journalError(error, 's', 'h:1/d', 'login')).toEqual(
    new JournalUnavailable('PostgreSQL at h:1/d cannot be reached (ECONNREFUSED)'),
  );
});

test('a bug stays what it is', () => {
  const bug = new TypeError('x is not a function');
  expect(journalError(bug, 's', 'h:1/d', 'login')).toBe(bug);
});
