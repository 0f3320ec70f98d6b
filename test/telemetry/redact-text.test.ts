import { TEXT_MAX_LENGTH, redactText } from '../../src/telemetry/redact-text';

const CBU = '9990001800000000000017';
const CUIT = '30714979732';
const PEM = '-----BEGIN PRIVATE KEY-----\nMIIcanary\nabc\n-----END PRIVATE KEY-----';

test.each([
  [`to ${CBU}.`, 'to [redacted:cbu].'],
  [`to${CBU}x`, 'to[redacted:cbu]x'],
  ['99900018 00000000000017', '[redacted:cbu]'],
  ['9990001-8 0000000000001-7', '[redacted:cbu]'],
  [`{"address":"${CBU}"}`, '{"address":"[redacted]"}'],
  [`personId ${CUIT}, wrong`, 'personId [redacted:cuit], wrong'],
  [`(${CUIT})`, '([redacted:cuit])'],
  ['30-71497973-2', '[redacted:cuit]'],
  ['kyc-30714979732', 'kyc-[redacted:cuit]'],
  ['Authorization: Bearer abc.def', 'Authorization: [redacted:authorization]'],
  ['Authorization: Token abc.def', 'Authorization: [redacted:authorization]'],
  ['Authorization: raw-token, refused', 'Authorization: [redacted:authorization], refused'],
  ['authorization=abc', 'authorization=[redacted:authorization]'],
  ['{"Authorization":"raw-token"}', '{"Authorization":"[redacted]"}'],
  ['sent Bearer abc/def+g==, refused', 'sent Bearer [redacted:bearer], refused'],
  ['BEARER abc', 'Bearer [redacted:bearer]'],
  ['jwt eyJhbGciOi.eyJzdWIi.c2ln end', 'jwt [redacted:jwt] end'],
  ['postgres://giro:p4ss@db/giro', 'postgres://[redacted:credentials]@db/giro'],
  ['postgres://giro:p4/ss@db/giro', 'postgres://[redacted:credentials]@db/giro'],
  ['postgres://giro:p@4s@s@db/giro', 'postgres://[redacted:credentials]@db/giro'],
  ['https://token@host/x', 'https://[redacted:credentials]@host/x'],
  ['GET /x?access_token=abc&y=1', 'GET /x?access_token=[redacted:secret]&y=1'],
  ['{"client_secret":"abc def"}', '{"client_secret":"[redacted]"}'],
  ['{"clientSecret":"zzz","a":1}', '{"clientSecret":"[redacted]","a":1}'],
  ['{\\"BANK_TOKEN\\":\\"zzz\\"}', '{\\"BANK_TOKEN\\":\\"[redacted]\\"}'],
  ['token: abcdef123, refused', 'token: [redacted:secret], refused'],
  ['X-Api-Key: kanarienvogelkey', 'X-Api-Key: [redacted:secret]'],
  ["X-Api-Key: 'a1 b'", 'X-Api-Key: [redacted:secret]'],
  ['X-Signature: 9f86d081884c', 'X-Signature: [redacted:secret]'],
  ['signature=9f86d081884c', 'signature=[redacted:secret]'],
  ["host=db password='a b' user=x", 'host=db password=[redacted:secret] user=x'],
  [`key:\n${PEM}\nend`, 'key:\n[redacted:pem]\nend'],
  ['-----BEGIN EC PRIVATE KEY-----\nMIIcanary', '[redacted:pem]'],
  [
    '{"personName":"JUAN \\"PEPE\\" PEREZ","status":"FAILED"}',
    '{"personName":"[redacted]","status":"FAILED"}',
  ],
  ['"{\\"description\\":\\"Factura 17\\",\\"a\\":1}"', '"{\\"description\\":\\"[redacted]\\",\\"a\\":1}"'],
  ['{"taxNumber": 20218346414}', '{"taxNumber":"[redacted]"}'],
  ['{"personName":"JUAN PER', '{"personName":"[redacted]"'],
])('%j → %j', (text, expected) => {
  expect(redactText(text)).toBe(expected);
});

test.each([
  'transfer-30714979732 started',
  'originId 30714979732',
  '{"originId":30714979732}',
  `networkId=${CBU}`,
  `{"networkId":"${CBU}"}`,
  'amount 12345678901.50',
  'run 01234567-89ab-7cde-8f01-12345678901a',
  'run 12345678-1234-1234-1234-123456789012',
  'sha256 0123456789012345678901234567890123456789012345678901234567890123',
  '2026-11-21T10:31:34.123Z 1700000000000',
  '21 digits: 123456789012345678901; 23: 12345678901234567890123; 10: 1234567890; 12: 123456789012',
  'http://127.0.0.1:7233/path?x=1',
  'postgres://db/giro',
  'token: expired',
  'password: authentication failed for user 17',
  'the signature: see docs/security.md',
])('%j stays as it is', (text) => {
  expect(redactText(text)).toBe(text);
});

test('ids of ours keep their digits on request, and no secrets', () => {
  expect(redactText(CBU, { keepDigits: true })).toBe(CBU);
  expect(redactText(`${CUIT} Bearer abc`, { keepDigits: true })).toBe(`${CUIT} Bearer [redacted:bearer]`);
});

test('a long text is cut, and the cut shows no half of a secret', () => {
  const cut = redactText('x'.repeat(TEXT_MAX_LENGTH + 10));
  expect(cut).toBe(`${'x'.repeat(TEXT_MAX_LENGTH)}…[10 more characters]`);
  for (let shift = 0; shift < 30; shift++) {
    const atOutputCut = `${'x'.repeat(TEXT_MAX_LENGTH - shift)} ${CBU}`;
    expect(redactText(atOutputCut)).not.toMatch(/[0-9]{12}/);
    // A key shrinks to a marker. So the output could show the end of the scanned text, where a secret may be cut.
    const shrinking = `-----BEGIN X-----${'k'.repeat(16_300 - shift)}-----END X----- ${CBU} ${CBU}`;
    expect(redactText(shrinking)).not.toMatch(/[0-9]{12}/);
  }
});

test.each([
  ['digits', '1'.repeat(1_000_000)],
  ['digits and dashes', '1-'.repeat(500_000)],
  ['letters', 'a'.repeat(1_000_000)],
  ['words and dashes', 'a-'.repeat(500_000)],
  ['schemes', 'a://'.repeat(250_000)],
  ['authorization', 'authorization: '.repeat(70_000)],
  ['header names', 'x-token: '.repeat(100_000)],
  ['header values', `token: ${'a'.repeat(1_000_000)}`],
  ['long names', `${'a-'.repeat(500_000)}token: 1`],
  ['open JSON', '"token":"'.repeat(100_000)],
  ['escapes', '\\"token\\":\\"'.repeat(80_000)],
  ['begin', '-----BEGIN A'.repeat(80_000)],
  ['begin whole', '-----BEGIN A-----'.repeat(60_000)],
  ['eyJ', 'eyJaaaaaa.'.repeat(100_000)],
])('a hostile text of %s costs little', (_, text) => {
  const startedAt = process.cpuUsage();
  for (let i = 0; i < 10; i++) redactText(text);
  const { user, system } = process.cpuUsage(startedAt);
  // Ten runs take some milliseconds each; a pattern that runs away takes minutes.
  expect((user + system) / 1000).toBeLessThan(5_000);
});
