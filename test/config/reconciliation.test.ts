import { ConfigError } from '../../src/config/config-error';
import { loadSettings } from '../../src/config/settings';

const headCommand = (text?: string) =>
  loadSettings(text === undefined ? {} : { RECONCILE_HEAD_COMMAND: text }, ['reconciliation']).config
    .reconciliation.headCommand;

test('RECONCILE_HEAD_COMMAND: none, a path alone, or a JSON array', () => {
  expect(headCommand()).toBeNull();
  expect(headCommand('/opt/keep head')).toEqual({ program: '/opt/keep head', args: [] });
  expect(headCommand('["/usr/bin/logger", "-t", "a;b $(c)"]')).toEqual({
    ...{ program: '/usr/bin/logger', args: ['-t', 'a;b $(c)'] },
  });
});

test.each([
  ['keep-head', 'names no program by its absolute path'],
  ['[]', 'names no program by its absolute path'],
  ['["keep-head"]', 'names no program by its absolute path'],
  ['["/bin/true", 1]', 'is not a JSON array of texts'],
  ['["/bin/true"', 'is not a JSON array of texts'],
  ['["/bin/true", "a\\u0000b"]', 'contains a null character'],
])('%s %s', (text, reason) => {
  expect(() => headCommand(text)).toThrow(ConfigError);
  expect(() => headCommand(text)).toThrow(reason.replace(/^is /, ''));
});

test.each([
  ['["curl", "-H", "X-Api-Key: s3cr3t"]', false],
  ['curl -u giro:s3cr3t https://heads.example', false],
  ['keep-head', true],
])('an error about %s shows the program alone', (text, isShown) => {
  const problem = (): string => {
    try {
      return JSON.stringify(headCommand(text));
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(problem()).not.toContain('s3cr3t');
  expect(problem().includes(text)).toBe(isShown);
});
