import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { packageRoot } from '../../dev/package-root';
import { reportFailure } from '../../src/program/run';
import { temporaryFiles } from '../config/temporary-files';
import { leaks } from '../leaks/canaries';

const files = temporaryFiles();
afterAll(() => files.remove());

const BEARER = 'kanarienvogel-bearer-31d2';
const VALUES = { payee: '27361705039', account: '0009001601234567890126', bearer: BEARER };
/** What a careless library throws: secrets in the message, and in further properties. */
const CARELESS = `Object.assign(
  new Error('refused: Authorization: Bearer ${BEARER} for ${VALUES.payee}'),
  { config: { headers: { Authorization: '${BEARER}' }, data: '${VALUES.account}' } },
)`;

/** Runs a launcher, and this code right after its start. */
async function launched(launcher: string, happening: string) {
  const preload = files.write('preload.cjs', `process.nextTick(() => { ${happening} });`);
  const script = join(packageRoot, 'dist', 'src', launcher);
  const { NODE_OPTIONS: _, ...env } = process.env;
  const ended: unknown = await promisify(execFile)(process.execPath, ['-r', preload, script, '--help'], {
    env,
  }).catch((error: unknown) => error);
  return ended as { code?: number; stdout: string; stderr: string };
}

test.each([
  ['starter.js', 'an exception', `throw ${CARELESS}`, 'uncaughtException'],
  ['starter.js', 'a rejection', `void Promise.reject(${CARELESS})`, 'unhandledRejection'],
  ['worker.js', 'an exception', `throw ${CARELESS}`, 'uncaughtException'],
])('%s, %s that nobody awaits: one clean line, exit 1', async (launcher, _, happening, origin) => {
  const { code, stdout, stderr } = await launched(launcher, happening);
  expect(code).toBe(1);
  const line = JSON.parse(stderr) as unknown;
  expect(line).toMatchObject({
    level: 'fatal',
    origin,
    err: { type: 'Error' },
    msg: expect.any(String) as unknown,
  });
  expect(leaks([{ name: 'output', text: stdout + stderr }], VALUES)).toEqual([]);
});

test('an unexpected error of a command is printed without secrets', () => {
  const stderr = new PassThrough();
  const error = new Error(`boom {"client_secret":"${BEARER}"} ${VALUES.payee}`);
  reportFailure({ stderr } as unknown as Parameters<typeof reportFailure>[0], error);
  const text = String(stderr.read());
  expect(text).toMatch(/^giro: unexpected: Error: boom [\s\S]*crash\.test/);
  expect(leaks([{ name: 'stderr', text }], VALUES)).toEqual([]);
});
