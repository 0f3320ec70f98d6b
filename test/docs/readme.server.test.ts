import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { lastingPort } from '../../dev/free-port';
import { packageRoot } from '../../dev/package-root';
import { createTestDatabase } from '../support/journal-database';
import { newNamespace } from '../support/new-namespace';
import { testServers } from '../support/servers';
import { textOfPage } from './pages';

const section = /^## Your first transfer\n([\s\S]*?)^## /m.exec(textOfPage('README.md'))?.[1] ?? '';
const lines = (/^```sh\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? '').trim().split('\n');
const stop = /`(kill %[^`]+)`/.exec(section)?.[1] ?? '';

/** The tests' servers stand in for the ones that these lines start; the package is installed and built. */
const STAND_INS = `
set -m
trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT
temporal() { echo ready; exec sleep 600; }
createdb() { :; }
npm() { if [ "$1" != ci ]; then command npm "$@"; fi; }
`;

/** Each line writes to `N.log`. As the page says, the next one starts when a program is ready. */
const asScript = (all: readonly string[]): string =>
  all
    .map((line, index) => {
      const isProgram = / &$/.test(line.replace(/\s+#.*$/, ''));
      const wait = 'until grep -Eq "ready|listens" "$log"; do kill -0 $! || exit 9; sleep 0.2; done';
      return `log=${index}.log; exec > $log 2>&1\n${line}\n${isProgram ? wait : '[ $? = 0 ] || exit 8'}\n`;
    })
    .join('');

test('the commands for a first transfer end with a transfer that is COMPLETED', async () => {
  const { temporalAddress } = testServers();
  const database = await createTestDatabase('empty');
  const connection = await Connection.connect({ address: temporalAddress });
  const folder = mkdtempSync(join(tmpdir(), 'giro-readme-'));
  try {
    for (const name of ['package.json', 'node_modules', 'dist', 'examples'])
      symlinkSync(join(packageRoot, name), join(folder, name));
    const here = {
      'postgresql://USER:PASSWORD@localhost/giro': database.url,
      '8443': String(await lastingPort()),
    };
    const commands = Object.entries(here).reduce((text, [written, own]) => {
      expect(text).toContain(written);
      return text.replaceAll(written, own);
    }, asScript(lines));
    const { PATH, HOME } = process.env;
    const env = {
      ...{ PATH, HOME, TEMPORAL_ADDRESS: temporalAddress },
      TEMPORAL_NAMESPACE: await newNamespace(connection),
    };
    const script = `${STAND_INS}${commands}exec > stop.log 2>&1\n${stop}\nwait\n`;
    const shell = spawn('bash', ['-c', script], { cwd: folder, env, stdio: 'ignore' });
    const [code] = (await once(shell, 'exit')) as [number | null];
    const logs = [...lines.keys()].map((index) => {
      try {
        return readFileSync(join(folder, `${index}.log`), 'utf8');
      } catch {
        return 'not reached';
      }
    });
    expect([code, logs.at(-1)]).toEqual([0, expect.stringMatching(/\bCOMPLETED\b/)]);
    // The worker has drained: the last line of the page stops it.
    expect(readFileSync(join(folder, 'stop.log'), 'utf8')).not.toMatch(/no such job/);
  } finally {
    await connection.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  }
});
