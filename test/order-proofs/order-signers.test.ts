import type { webcrypto } from 'node:crypto';
import { parseOrderSigners } from '../../src/order-proofs/order-signers';
import { BILLING, PAYROLL, publicJwk, signerOf } from './keys';

const KEY = publicJwk(BILLING);
const parse = (...keys: readonly unknown[]) => parseOrderSigners(JSON.stringify({ keys }));

test('keys with their limits, normalised as orders are', () => {
  const giro = {
    fromAccounts: ['00090016 00000000000017'],
    toAccounts: ['9990001800000000000017', '0009001600000000000024'],
    amountMax: '1500',
    notAfter: '2026-03-01T12:00:00Z',
  };
  const annotated = { ...publicJwk(PAYROLL, {}), alg: 'EdDSA', use: 'sig' };
  expect(parse(publicJwk(BILLING, giro), annotated)).toEqual({
    ok: true,
    value: [
      signerOf(BILLING, {
        fromAccounts: ['0009001600000000000017'],
        toAccounts: ['9990001800000000000017', '0009001600000000000024'],
        amountMax: '1500.00',
        notAfter: '2026-03-01T12:00:00.000Z',
      }),
      signerOf(PAYROLL),
    ],
  });
});

test('a key with every member that JWK has for public keys', () => {
  const described = {
    ...{ ...KEY, alg: 'EdDSA', use: 'sig', key_ops: ['verify'], ext: true },
    ...{ x5u: 'https://example.com/c.pem', x5c: ['MIIB'], x5t: 'dGh1bWI', 'x5t#S256': 'dGh1bWI' },
  };
  expect(parse(described)).toEqual({ ok: true, value: [signerOf(BILLING)] });
});

test('a key as WebCrypto exports it, once it has a kid', async () => {
  const { subtle } = globalThis.crypto;
  const pair = (await subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const [open, secret] = await Promise.all(
    [pair.publicKey, pair.privateKey].map(async (key) => ({
      ...(await subtle.exportKey('jwk', key)),
      kid: 'k',
    })),
  );
  expect(parse(open)).toMatchObject({ ok: true, value: [{ kid: 'k', x: open!.x }] });
  expect(parse(secret)).toMatchObject({ ok: false, reason: expect.stringContaining('private part (d)') });
});

const ACCOUNTS = 'is not a list of 1 to 1000 CBU or CVU numbers of 22 digits';
const AMOUNT = 'amountMax is not an amount in a string, such as "1500.00"';
const NOT_AFTER = 'notAfter is not a time in UTC such as "2026-01-05T10:00:00Z"';
const named = (rule: string) => `has a key billing-2026 ${rule}`;
const MEMBERS =
  'with members other than kty, crv, alg, use, kid, x, giro, key_ops, ext, x5u, x5c, x5t, x5t#S256';
const limited = (giro: unknown) => ({ ...KEY, giro });

test.each<[string, unknown, string]>([
  ['a private key', BILLING, named('with its private part (d): it has to stay with who signs')],
  [
    'an empty private part',
    { ...KEY, d: '' },
    named('with its private part (d): it has to stay with who signs'),
  ],
  [
    'no kid',
    { ...KEY, kid: undefined },
    'has a key 1 whose kid must be 1 to 64 letters, digits, dots, dashes or underscores',
  ],
  [
    'a kid that is none',
    { ...KEY, kid: 'a b' },
    'has a key 1 whose kid must be 1 to 64 letters, digits, dots, dashes or underscores',
  ],
  ['an elliptic curve', { ...KEY, kty: 'EC' }, named('whose kty is not OKP')],
  ['another curve', { ...KEY, crv: 'X25519' }, named('whose crv is not Ed25519')],
  ['another algorithm', { ...KEY, alg: 'ES256' }, named('whose alg is not EdDSA or Ed25519')],
  ['another use', { ...KEY, use: 'enc' }, named('whose use is not sig')],
  ['a key to sign', { ...KEY, key_ops: ['sign'] }, named('whose key_ops is not a list with "verify"')],
  [
    'key_ops that is no list',
    { ...KEY, key_ops: 'verify' },
    named('whose key_ops is not a list with "verify"'),
  ],
  ['a symmetric key', { ...KEY, k: 'c2VjcmV0' }, named(MEMBERS)],
  ["a private member of RSA's", { ...KEY, dp: 'c2VjcmV0' }, named(MEMBERS)],
  ['a shorter x', { ...KEY, x: BILLING.x.slice(0, 42) }, named('whose x is not the base64url of 32 bytes')],
  ['a padded x', { ...KEY, x: `${BILLING.x}=` }, named('whose x is not the base64url of 32 bytes')],
  ['a limit beside giro', { ...KEY, amountMax: '1' }, named(MEMBERS)],
  ['giro misspelt', { ...KEY, Giro: {} }, named(MEMBERS)],
  ['giro that is no object', limited(null), named('whose giro is not a JSON object')],
  [
    'a limit misspelt',
    limited({ maxAmount: '1' }),
    named('whose giro has members other than fromAccounts, toAccounts, amountMax, notAfter'),
  ],
  ['no accounts', limited({ fromAccounts: [] }), named(`whose fromAccounts ${ACCOUNTS}`)],
  [
    'one account, no list',
    limited({ fromAccounts: '0009001600000000000017' }),
    named(`whose fromAccounts ${ACCOUNTS}`),
  ],
  ['an alias', limited({ toAccounts: ['mi.alias'] }), named(`whose toAccounts ${ACCOUNTS}`)],
  ['an account that is a number', limited({ toAccounts: [17] }), named(`whose toAccounts ${ACCOUNTS}`)],
  ['null for no accounts', limited({ toAccounts: null }), named(`whose toAccounts ${ACCOUNTS}`)],
  ['an amount that is a number', limited({ amountMax: 100 }), named(`whose ${AMOUNT}`)],
  ['an amount of nothing', limited({ amountMax: '0' }), named(`whose ${AMOUNT}`)],
  ['null for no amount', limited({ amountMax: null }), named(`whose ${AMOUNT}`)],
  ['a day', limited({ notAfter: '2026-03-01' }), named(`whose ${NOT_AFTER}`)],
  ['a time elsewhere', limited({ notAfter: '2026-03-01T12:00:00-03:00' }), named(`whose ${NOT_AFTER}`)],
  ['no such month', limited({ notAfter: '2026-13-01T12:00:00Z' }), named(`whose ${NOT_AFTER}`)],
  ['no such day', limited({ notAfter: '2026-02-30T12:00:00Z' }), named(`whose ${NOT_AFTER}`)],
  ['no object', 'billing-2026', 'has as key 1 no JSON object'],
])('%s is refused', (_, key, reason) => {
  const parsed = parse(key);
  expect(parsed).toEqual({ ok: false, reason });
});

test.each<[string, string, string]>([
  ['no JSON', '{"keys":[', 'is not JSON, or has a member twice'],
  ['a key alone', JSON.stringify(KEY), 'is not a JSON Web Key Set, {"keys":[…]}'],
  ['a member beside keys', '{"keys":[],"giro":{}}', 'is not a JSON Web Key Set, {"keys":[…]}'],
  ['no key', '{"keys":[]}', 'has no keys'],
  [
    'a limit twice',
    `{"keys":[${JSON.stringify(KEY).slice(0, -1)},"giro":{"amountMax":"1","amountMax":"2"}}]}`,
    'is not JSON, or has a member twice',
  ],
  [
    'a kid twice',
    JSON.stringify({ keys: [KEY, publicJwk({ ...PAYROLL, kid: BILLING.kid })] }),
    'has two keys billing-2026',
  ],
  [
    'a key twice',
    JSON.stringify({ keys: [KEY, { ...KEY, kid: 'again' }] }),
    'has the same key as billing-2026 and again',
  ],
])('a file with %s is refused', (_, text, reason) => {
  expect(parseOrderSigners(text)).toEqual({ ok: false, reason });
});

test('no reason repeats a key', () => {
  const swapped = { ...KEY, kid: 'billing', x: `${BILLING.d}A` };
  expect(JSON.stringify(parse(swapped))).not.toContain(BILLING.d);
  expect(JSON.stringify(parse({ ...BILLING, kid: 'b' }))).not.toContain(BILLING.d);
});
