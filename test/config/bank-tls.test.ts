import { createPrivateKey } from 'node:crypto';
import { generate } from 'selfsigned';
import { loadBankTls } from '../../src/config/bank-tls';
import type { BankTlsFiles } from '../../src/config/bank-tls';
import { loadSettings } from '../../src/config/settings';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

const DAY_MS = 86_400_000;
const PASSPHRASE = 'canary-passphrase';

/** Certificate and key in files, valid for the given days from now. */
async function identity(name: string, fromDays = -1, toDays = 1) {
  const at = (days: number) => new Date(Date.now() + days * DAY_MS);
  const made = await generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', algorithm: 'sha256' },
    ...{ notBeforeDate: at(fromDays), notAfterDate: at(toDays) },
  });
  const locked = createPrivateKey(made.private).export({
    ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc' },
    passphrase: PASSPHRASE,
  });
  return {
    cert: files.write(`${name}.cert.pem`, made.cert),
    key: files.write(`${name}.key.pem`, made.private),
    locked: files.write(`${name}.locked.pem`, locked),
    certPem: made.cert,
    keyPem: made.private,
  };
}
type Identity = Awaited<ReturnType<typeof identity>>;

let own: Identity;
let other: Identity;
let old: Identity;
let early: Identity;
beforeAll(async () => {
  [own, other, old, early] = await Promise.all([
    identity('own'),
    identity('other'),
    identity('old', -3, -1),
    identity('early', 1, 3),
  ]);
});
const passphrase = files.write('passphrase', `${PASSPHRASE}\n`);
const wrongPassphrase = files.write('wrong-passphrase', 'canary-other');
const halfOf = (text: string) => files.write('half.pem', text.slice(0, text.length / 2));

const load = (given: Partial<BankTlsFiles>) =>
  loadBankTls({ ca: null, cert: null, key: null, passphrase: null, ...given }, Date.now());
const problems = (given: Partial<BankTlsFiles>) =>
  load(given).problems.map(({ variable, reason }) => `${variable}: ${reason}`);

test('certificate and key, with and without a passphrase', () => {
  expect(load({ cert: own.cert, key: own.key })).toEqual({
    material: { caPem: null, client: { certPem: own.certPem, keyPem: own.keyPem, passphrase: null } },
    problems: [],
  });
  const locked = load({ ca: other.cert, cert: own.cert, key: own.locked, passphrase });
  expect(locked.problems).toEqual([]);
  expect(locked.material).toMatchObject({ caPem: other.certPem, client: { passphrase: PASSPHRASE } });
});

test('a certificate with its chain', () => {
  const chain = files.write('chain.pem', `${own.certPem}\n${other.certPem}`);
  expect(problems({ cert: chain, key: own.key })).toEqual([]);
  const wrongOrder = files.write('order.pem', `${other.certPem}\n${own.certPem}`);
  expect(problems({ cert: wrongOrder, key: own.key })).toEqual([
    expect.stringMatching(/^BANK_CLIENT_KEY_FILE: the key .* is not that of the certificate/),
  ]);
});

test.each([
  ['the key of another', () => ({ cert: own.cert, key: other.key }), /KEY_FILE: the key .* is not that of/],
  ['expired', () => ({ cert: old.cert, key: old.key }), /CERT_FILE: .* a certificate that expired at 20/],
  ['too early', () => ({ cert: early.cert, key: early.key }), /CERT_FILE: .* not valid before 20/],
  [
    'no passphrase',
    () => ({ cert: own.cert, key: own.locked }),
    /KEY_FILE: .* needs a passphrase, and BANK_/,
  ],
  [
    'a wrong passphrase',
    () => ({ cert: own.cert, key: own.locked, passphrase: wrongPassphrase }),
    /BANK_CLIENT_KEY_PASSPHRASE_FILE: does not open the key of/,
  ],
  [
    'no passphrase file',
    () => ({ cert: own.cert, key: own.locked, passphrase: `${files.directory}/none` }),
    /BANK_CLIENT_KEY_PASSPHRASE_FILE: the file .* does not exist/,
  ],
  ['half a key', () => ({ cert: own.cert, key: halfOf(own.keyPem) }), /KEY_FILE: .* no private key/],
  ['half a certificate', () => ({ cert: halfOf(own.certPem), key: own.key }), /CERT_FILE: .* no PEM/],
  ['a certificate for a key', () => ({ cert: own.cert, key: own.cert }), /KEY_FILE: .* no private key/],
  [
    'two authorities on one line, as `cat` joins files without a line feed at the end',
    () => ({ ca: files.write('glued.pem', own.certPem.trim() + other.certPem) }),
    /BANK_CA_FILE: .* a certificate that cannot be read/,
  ],
  [
    'a chain on one line',
    () => ({ cert: files.write('glued.pem', own.certPem.trim() + other.certPem), key: own.key }),
    /CERT_FILE: .* a certificate that cannot be read/,
  ],
  ['an expired authority', () => ({ ca: old.cert }), /BANK_CA_FILE: .* no certificate that has not expired/],
])('%s is one problem that names the variable', (_, given, expected) => {
  const found = problems(given());
  expect(found).toEqual([expect.stringMatching(expected)]);
  expect(found.join()).not.toMatch(/canary|-----/);
});

test('of a bundle of authorities one may have expired', () => {
  expect(problems({ ca: files.write('bundle.pem', `${old.certPem}\n${own.certPem}`) })).toEqual([]);
});

test('at start: an error of the configuration that shows paths and no content', () => {
  const env = {
    BANK_BASE_URL: 'https://bank.example',
    BANK_TOKEN: 'x',
    BANK_CLIENT_CERT_FILE: own.cert,
    BANK_CLIENT_KEY_FILE: own.locked,
    BANK_CLIENT_KEY_PASSPHRASE_FILE: wrongPassphrase,
  };
  expect(() => loadSettings(env, ['bank'])).toThrow(
    `BANK_CLIENT_KEY_PASSPHRASE_FILE is "${wrongPassphrase}": does not open the key of the file ${own.locked}; ` +
      'allowed: the path of a file, with BANK_CLIENT_KEY_FILE',
  );
  const { secrets } = loadSettings({ ...env, BANK_CLIENT_KEY_PASSPHRASE_FILE: passphrase }, ['bank']);
  expect(secrets.bank.tls.material.client?.certPem).toBe(own.certPem);
});
