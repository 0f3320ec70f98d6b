import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../src/config/config-error';
import { loadProcessEnv, readEnv } from '../../src/config/env';
import { temporaryFiles } from './temporary-files';

const files = temporaryFiles();
afterAll(() => files.remove());

const NAMES = ['GIRO_TEST_ONE', 'GIRO_TEST_TWO', 'GIRO_TEST_THREE'];
afterEach(() => NAMES.forEach((name) => Reflect.deleteProperty(process.env, name)));

test('an empty variable is unset', () => {
  expect(readEnv({ A: 'a', B: '', C: undefined, D: ' ' })).toEqual({ A: 'a', D: ' ' });
});

describe('.env', () => {
  beforeAll(() => {
    files.write(
      '.env',
      'GIRO_TEST_ONE=file\nGIRO_TEST_TWO="file two"\nGIRO_TEST_THREE=file three # remark\n',
    );
  });

  test('gives what the environment does not have', () => {
    expect(loadProcessEnv(files.directory)).toMatchObject({
      GIRO_TEST_ONE: 'file',
      GIRO_TEST_TWO: 'file two',
      GIRO_TEST_THREE: 'file three',
    });
  });

  test('the environment wins, even with an empty value', () => {
    process.env['GIRO_TEST_ONE'] = 'environment';
    process.env['GIRO_TEST_TWO'] = '';
    const env = loadProcessEnv(files.directory);
    expect(env['GIRO_TEST_ONE']).toBe('environment');
    expect(env['GIRO_TEST_TWO']).toBeUndefined();
    expect(env['GIRO_TEST_THREE']).toBe('file three');
  });

  test("is neither written into the process's environment nor printed", () => {
    const writes = [process.stdout, process.stderr].map((stream) => jest.spyOn(stream, 'write'));
    loadProcessEnv(files.directory);
    expect(process.env['GIRO_TEST_ONE']).toBeUndefined();
    for (const write of writes) {
      expect(write).not.toHaveBeenCalled();
      write.mockRestore();
    }
  });

  test('may be absent', () => {
    const empty = mkdtempSync(join(files.directory, 'empty-'));
    expect(loadProcessEnv(empty)).toEqual(readEnv(process.env));
  });

  test('that cannot be read is an error by its path', () => {
    const odd = join(files.directory, 'odd');
    mkdirSync(join(odd, '.env'), { recursive: true });
    expect(() => loadProcessEnv(odd)).toThrow(ConfigError);
    expect(() => loadProcessEnv(odd)).toThrow(`.env is "${join(odd, '.env')}": cannot be read (EISDIR)`);
  });
});
