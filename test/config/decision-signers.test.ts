import { writeFileSync } from 'node:fs';
import { readSignersFile } from '../../src/config/decision-signers';
import { loadSettings } from '../../src/config/settings';
import { lacksDeciders } from '../../src/domain/transfer/settings';
import { makeKey } from '../../dev/made-ssh-keys';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

const { type, base64, fingerprint } = makeKey();
const file = files.write('signers', `ana ${type} ${base64}\n`);
const NEEDS = ['transferSettings', 'decisionSigners'] as const;

test('with DECIDERS_FILE decisions are signed, by those that it lists', () => {
  const { config } = loadSettings({ DECIDERS_FILE: file }, NEEDS);
  expect(config.decisionSigners).toMatchObject({ file, value: [{ principals: ['ana'], fingerprint }] });
  expect(config.transferSettings).toMatchObject({ deciders: null, signsDecisions: true });
  expect(lacksDeciders(config.transferSettings)).toBe(false);
});

test('without it there is nothing about signatures', () => {
  const { config } = loadSettings({}, NEEDS);
  expect(config.decisionSigners).toBeNull();
  expect('signsDecisions' in config.transferSettings).toBe(false);
});

test('a command that verifies nothing needs no such file', () => {
  const { config } = loadSettings({ DECIDERS_FILE: '/nowhere' }, ['transferSettings']);
  expect(config.transferSettings.signsDecisions).toBe(true);
});

test.each<[string, Record<string, string>, RegExp]>([
  ['both lists', { DECIDERS_FILE: file, DECIDERS: 'ana' }, /DECIDERS is .*DECIDERS_FILE is set/],
  [
    'no file',
    { DECIDERS_FILE: '/nowhere' },
    /DECIDERS_FILE is "\/nowhere": the file \/nowhere does not exist/,
  ],
  [
    'a file that others may change',
    { DECIDERS_FILE: files.write('open', `ana ${type} ${base64}\n`, 0o646) },
    /DECIDERS_FILE is .* may be changed by others \(mode 0646\)/,
  ],
  [
    'a pattern',
    { DECIDERS_FILE: files.write('pattern', `# x\n*@bank ${type} ${base64}`) },
    /DECIDERS_FILE is .* in line 2: a principal is a pattern/,
  ],
])('refused: %s', (_, env, message) => {
  expect(() => loadSettings(env, NEEDS)).toThrow(message);
});

test('the file as it is now', () => {
  const other = makeKey();
  writeFileSync(file, `luis ${other.type} ${other.base64}\n`);
  expect(readSignersFile(file)).toMatchObject({ ok: true, value: [{ principals: ['luis'] }] });
});
