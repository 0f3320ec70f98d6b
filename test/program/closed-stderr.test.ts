import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { EXIT } from '../../src/program/exit-codes';

test('a reader of stderr that ends early does not change the exit code', async () => {
  const program = path.join(packageRoot, 'dist', 'src', 'starter.js');
  const child = spawn(process.execPath, [program, 'sending', 'show'], {
    ...{
      cwd: path.parse(packageRoot).root,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  });
  child.stderr.destroy();
  // DATABASE_URL is not set, which stderr says.
  expect(await once(child, 'exit')).toEqual([EXIT.input, null]);
});
