import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { useTemporaryFolder } from './temporary-folder';

const UNLISTED = 54_321;
const isRoot = process.getuid?.() === 0;

describe('the folder for downloads', () => {
  const folder = useTemporaryFolder();

  (isRoot ? it : it.skip)('is in the temporary folder for an account that nothing lists (needs root)', () => {
    const program = join(folder(), 'cache-folder.js');
    copyFileSync(join(packageRoot, 'dist', 'dev', 'cache-folder.js'), program);
    chmodSync(folder(), 0o777);
    const code = `require(${JSON.stringify(program)}).cacheFolder({}).then((it) => process.stdout.write(it))`;
    const output = execFileSync(process.execPath, ['-e', code], {
      ...{ uid: UNLISTED, gid: UNLISTED, cwd: folder(), encoding: 'utf8' },
      env: { TMPDIR: folder() },
    });
    expect(output).toBe(join(folder(), `giro-cache-${UNLISTED}`));
  });
});
