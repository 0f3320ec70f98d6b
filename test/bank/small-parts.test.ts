import fc from 'fast-check';
import { findCode } from '../../src/bank/http/answer-codes';
import { parseJson, stringifyJson, parseJsonPointer, valueAt } from '../../src/bank/http/json';
import { parseRetryAfter } from '../../src/bank/http/request-error';
import { maybeWritten, nameFailure } from '../../src/bank/http/transport-failure';

describe('parseJson', () => {
  test('every JSON text comes back with its numbers as they were', () => {
    const number = fc.oneof(
      fc.bigInt().map(String),
      fc.tuple(fc.nat(), fc.nat({ max: 99 })).map(([a, b]) => `${a}.${String(b).padStart(2, '0')}`),
      fc.constantFrom('100.10', '9007199254740993', '1e400', '-0', '0.10'),
    );
    const text: fc.Memo<string> = fc.memo((depth) =>
      depth <= 1
        ? fc.oneof(
            number,
            fc.string().map((value) => JSON.stringify(value)),
            fc.constantFrom('true', 'false', 'null'),
          )
        : fc.oneof(
            text(1),
            fc.array(text(), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
            fc.dictionary(fc.string({ maxLength: 5 }), text(), { maxKeys: 3 }).map(
              (o) =>
                `{${Object.entries(o)
                  .map(([k, v]) => `${JSON.stringify(k)}:${v}`)
                  .join(',')}}`,
            ),
          ),
    );
    fc.assert(
      fc.property(text(4), (json) => {
        const parsed = parseJson(json);
        expect(parsed.ok && stringifyJson(parsed.value)).toBe(json);
      }),
    );
  });

  test('never throws, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\u0x1e-. tn\u0000é')) }),
        (text) => {
          parseJson(text);
        },
      ),
    );
  });

  test('brackets in texts are no depth', () => {
    expect(parseJson(JSON.stringify('['.repeat(100) + '\\"{'.repeat(100))).ok).toBe(true);
  });
});

describe('JSON pointers', () => {
  const document = { a: [{ b: 1 }], 'x/y': 2, 'm~n': 3, '': 4 };

  test.each([
    ['', document],
    ['/a/0/b', 1],
    ['/x~1y', 2],
    ['/m~0n', 3],
    ['/', 4],
    ['/a/1', undefined],
    ['/a/0/b/c', undefined],
    ['/constructor', undefined],
    ['/__proto__', undefined],
  ])('%j', (pointer, expected) => {
    expect(valueAt(document, parseJsonPointer(pointer))).toEqual(expected);
  });

  test.each(['a', 'a/b', '/a~2', '/~'])('%j is none', (pointer) => {
    expect(() => parseJsonPointer(pointer)).toThrow('not a JSON pointer');
  });
});

test.each([
  [null, null],
  ['', null],
  ['0', 0],
  [' 120 ', 120_000],
  ['86401', 86_400_000],
  ['999999999999999', 86_400_000],
  ['9999999999999999', null],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['2026-03-01T12:00:00Z', null],
  ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['Sun, 08 Mar 2026 12:00:00 GMT', 86_400_000],
  ['Sun, 99 Mar 2026 12:00:00 GMT', null],
  ['Sunday, 01-Mar-26 12:10:00 GMT', 600_000],
  ['Sun Mar  1 12:10:00 2026', 600_000],
])('Retry-After %j is %j ms', (value, expected) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 2, 1, 12))).toBe(expected);
});

describe('naming a failure of the connection', () => {
  const facts = { stage: 'writable', timedOut: false, tooLarge: false, code: null } as const;

  test.each([
    [{ ...facts, stage: 'connecting', code: 'ECONNREFUSED' } as const, 'CONNECTION_REFUSED'],
    [{ ...facts, stage: 'connecting', code: 'EAI_AGAIN' } as const, 'NAME_LOOKUP'],
    [{ ...facts, stage: 'connecting', code: 'EHOSTUNREACH' } as const, 'UNREACHABLE'],
    [{ ...facts, stage: 'waiting', code: 'ENETUNREACH' } as const, 'UNREACHABLE'],
    [{ ...facts, stage: 'connecting', code: 'ETIMEDOUT' } as const, 'TIMEOUT'],
    [{ ...facts, stage: 'connecting', code: 'ECONNRESET' } as const, 'UNREACHABLE'],
    [{ ...facts, stage: 'securing', code: 'ECONNRESET' } as const, 'TLS'],
    [{ ...facts, stage: 'securing', timedOut: true } as const, 'TIMEOUT'],
    [{ ...facts, code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' }, 'TLS'],
    [{ ...facts, code: 'ECONNRESET' }, 'CONNECTION_LOST'],
    [{ ...facts, code: 'EPIPE' }, 'CONNECTION_LOST'],
    [{ ...facts, code: 'HPE_INVALID_CONSTANT' }, 'UNREADABLE'],
    [{ ...facts, tooLarge: true }, 'TOO_LARGE'],
    [facts, 'CONNECTION_LOST'],
  ])('%j is %s', (given, expected) => {
    expect(nameFailure(given)).toBe(expected);
  });

  test('only a socket that was never ready proves that nothing was written', () => {
    expect((['waiting', 'connecting', 'securing', 'writable'] as const).map(maybeWritten)).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
});

test.each([
  ['NO_FUNDS', 'NO_FUNDS', true],
  ['own word', 'own word', true],
  ['VAL-0012.A', 'VAL-0012.A', false],
  [1203, '1203', false],
  ['27361705039', null, false],
  ['C27361705039', null, false],
  ['0009001601234567890126', null, false],
  [12345678, null, false],
  ['kanarienvogel-key-b270e4', null, false],
  ['Juan', null, false],
  ['NOT A CODE', null, false],
] as const)('a refusal code %j is passed on as %j', (code, passed, listed) => {
  const codes = { statuses: [], codePointer: '/errors/0/field', codes: ['NO_FUNDS', 'own word'] };
  const body = parseJson(JSON.stringify({ errors: [{ field: code }] }));
  if (!body.ok) throw new Error('not JSON');
  expect(findCode({ kind: 'json', value: body.value }, codes)).toEqual({ code: passed, listed });
});
