import { configWarnings, editDistance } from '../../src/config/warnings';

test.each([
  ['BANK_TIMEOUT_CRATE', 'BANK_TIMEOUT_CREATE'],
  ['BANK_TIMEOUTS', 'BANK_TIMEOUT'],
  ['BANK_HMAC_SECERT_FILE', 'BANK_HMAC_SECRET_FILE'],
  ['BANK_CA_FLIE', 'BANK_CA_FILE'],
  ['GIRO_SANBOX', 'GIRO_SANDBOX'],
  ['POLL_DELAY', 'POLL_DELAYED'],
  ['FROM_ACCOUNT', 'FROM_ACCOUNTS'],
  ['ORIGIN_ID_MN', 'ORIGIN_ID_MIN'],
  ['bank_token', 'BANK_TOKEN'],
])('%s: did you mean %s?', (name, meant) => {
  expect(configWarnings({ [name]: 'canary' })).toEqual([
    `${name} is not a variable of Giro and is ignored: did you mean ${meant}?`,
  ]);
});

test('an unknown name under a prefix of ours is warned about even if it resembles none', () => {
  expect(configWarnings({ GIRO_FLAVOUR: '1', BANK_CLIENT_CERTIFICATE: '2' })).toEqual([
    'BANK_CLIENT_CERTIFICATE is not a variable of Giro and is ignored',
    'GIRO_FLAVOUR is not a variable of Giro and is ignored',
  ]);
});

test("known names and other programs' variables are left in peace", () => {
  const env = { BANK_TOKEN: 'x', PATH: '/bin', LOG_FORMAT: 'json', DATABASE_HOST: 'h', TEMPORAL_ADRESS: 'x' };
  expect(configWarnings({ ...env, constructor: 'x', CHECK: '1', FROM: 'x' })).toEqual([]);
});

test.each([
  ['', '', 0],
  ['abc', '', 3],
  ['kitten', 'sitting', 3],
  ['SECERT', 'SECRET', 1],
  ['same', 'same', 0],
])('%j and %j are %d edits apart', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});
