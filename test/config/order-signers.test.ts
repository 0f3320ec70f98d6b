import pino from 'pino';
import { loadSettings } from '../../src/config/settings';
import { watchOrderSigners } from '../../src/context/watch-order-signers';
import { BILLING, PAYROLL, publicJwk, signerOf } from '../order-proofs/keys';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

const keySet = (...keys: readonly object[]) => JSON.stringify({ keys });
const read = (file?: string) =>
  loadSettings(file === undefined ? {} : { ORDER_SIGNERS_FILE: file }, ['orderSigners']).config.orderSigners;

test('unset: orders are not signed', () => expect(read()).toBeNull());

test('the keys of the file, which everybody may read', () => {
  const file = files.write('signers.json', keySet(publicJwk(BILLING, { amountMax: '10' })), 0o644);
  expect(read(file)).toEqual({ file, value: [signerOf(BILLING, { amountMax: '10.00' })] });
});

test.each<[string, string, number, string]>([
  [
    'others may change',
    keySet(publicJwk(BILLING)),
    0o666,
    'may be changed by others (mode 0666): chmod 0644 or less',
  ],
  [
    'has a private key',
    keySet(BILLING),
    0o600,
    'has a key billing-2026 with its private part (d): it has to stay with who signs',
  ],
  ['is empty', '', 0o600, 'is empty'],
])('a file that %s is refused', (name, text, mode, reason) => {
  const file = files.write(`${name}.json`, text, mode);
  expect(() => read(file)).toThrow(`the file ${file} ${reason}; allowed: the path of`);
  expect(() => read(file)).not.toThrow(BILLING.d);
});

describe('while the program runs', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('a changed file counts; a bad one is logged and leaves the previous keys in force', () => {
    const file = files.write('changing.json', keySet(publicJwk(BILLING)));
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => lines.push(line) });
    const watched = watchOrderSigners({ file, value: [signerOf(BILLING)] }, logger);
    try {
      files.write(
        'changing.json',
        keySet(publicJwk(BILLING, { notAfter: '2026-03-01T12:00:00Z' }), publicJwk(PAYROLL)),
      );
      jest.advanceTimersByTime(4_000);
      const changed = [signerOf(BILLING, { notAfter: '2026-03-01T12:00:00.000Z' }), signerOf(PAYROLL)];
      expect(watched.current()).toEqual(changed);
      files.write('changing.json', keySet(BILLING));
      jest.advanceTimersByTime(4_000);
      expect(watched.current()).toEqual(changed);
    } finally {
      watched.close();
    }
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 30, kids: ['billing-2026', 'payroll'] },
      { level: 50, reason: expect.stringContaining('private part') },
    ]);
    expect(lines.join()).not.toContain(BILLING.d);
  });

  test('without a file nothing is watched', () => {
    const logger = pino({ enabled: false });
    const before = jest.getTimerCount();
    const watched = watchOrderSigners(null, logger);
    expect(watched.current()).toBeNull();
    expect(jest.getTimerCount()).toBe(before);
  });
});
