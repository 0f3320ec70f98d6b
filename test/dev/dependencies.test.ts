import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { runModuleScript } from './module-script';
import { useTemporaryFolder } from './temporary-folder';

type Packages = Record<string, Record<string, unknown>>;

const A = { version: '1.0.0', integrity: 'sha512-a' };
const B = { version: '2.0.0', integrity: 'sha512-b' };

describe('packages to install', () => {
  const root = useTemporaryFolder();

  async function missing(
    wanted: Packages,
    installed: Packages | null,
    folders = Object.keys(installed ?? {}),
  ): Promise<unknown> {
    writeFileSync(
      join(root(), 'package-lock.json'),
      JSON.stringify({ packages: { '': { name: 'x' }, ...wanted } }),
    );
    for (const folder of folders) {
      mkdirSync(join(root(), folder), { recursive: true });
      writeFileSync(join(root(), folder, 'package.json'), '{}');
    }
    if (installed !== null) {
      mkdirSync(join(root(), 'node_modules'), { recursive: true });
      writeFileSync(join(root(), 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
    }
    return runModuleScript(
      `import { missingPackages } from './dev/bootstrap/dependencies.mjs';
       process.stdout.write(JSON.stringify(missingPackages(${JSON.stringify(root())})));`,
      { cwd: packageRoot },
    );
  }

  it('none, when npm recorded what the lock file says', async () => {
    expect(
      await missing(
        { 'node_modules/a': A, 'node_modules/b': B },
        { 'node_modules/a': A, 'node_modules/b': B },
      ),
    ).toEqual([]);
  });

  it('all, on a fresh clone and after an installation that was interrupted', async () => {
    expect(await missing({ 'node_modules/a': A }, null)).toEqual(['node_modules/a']);
    expect(await missing({ 'node_modules/a': A }, null, ['node_modules/a'])).toEqual(['node_modules/a']);
  });

  it('all, when the record of npm was cut', async () => {
    mkdirSync(join(root(), 'node_modules'));
    writeFileSync(join(root(), 'node_modules/.package-lock.json'), '{"packages": {"node_mod');
    expect(await missing({ 'node_modules/a': A }, null, ['node_modules/a'])).toEqual(['node_modules/a']);
  });

  it('one that has another version or other content, and one whose folder is gone', async () => {
    const wanted = { 'node_modules/a': A, 'node_modules/b': B, 'node_modules/c': A };
    const installed = {
      'node_modules/a': { ...A, version: '1.0.1' },
      'node_modules/b': { ...B, integrity: 'sha512-other' },
      'node_modules/c': A,
    };
    const folders = ['node_modules/a', 'node_modules/b'];
    expect(await missing(wanted, installed, folders)).toEqual([
      'node_modules/a',
      'node_modules/b',
      'node_modules/c',
    ]);
  });

  it('not those of other platforms, but the ones made for this platform', async () => {
    const here = { os: [process.platform], cpu: [process.arch], optional: true };
    const wanted = {
      'node_modules/elsewhere': { ...A, os: ['aix'], optional: true },
      'node_modules/not-here': { ...A, os: [`!${process.platform}`], optional: true },
      'node_modules/other-cpu': { ...A, os: [process.platform], cpu: ['s390'], optional: true },
      'node_modules/other-c-library': { ...A, ...here, libc: ['musl'] },
      'node_modules/here': { ...A, ...here },
    };
    expect(await missing(wanted, {})).toEqual(['node_modules/here']);
  });
});
