import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { useTemporaryFolder } from './temporary-folder';

const root = useTemporaryFolder();
const built = mkdtempSync(join(tmpdir(), 'giro-built-'));
afterAll(() => rmSync(built, { recursive: true, force: true }));

const at = (path: string): string => join(root(), path);
const write = (path: string, text: string): void => {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), text);
};

function build(): { code: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, ['dev/build.mjs'], {
    cwd: root(),
    encoding: 'utf8',
  });
  return { code: status, stderr };
}

const GOOD = { code: 0, stderr: '' };

/** A package with this one's build and settings, and two small sources. */
beforeEach(() => {
  for (const path of [
    'dev/build.mjs',
    'dev/build-files.mjs',
    'dev/notices.mjs',
    'dev/licences',
    'dev/bootstrap',
    'tsconfig.json',
    'package-lock.json',
  ]) {
    cpSync(join(packageRoot, path), at(path), { recursive: true });
  }
  symlinkSync(join(packageRoot, 'node_modules'), at('node_modules'));
  // The small sources use nothing of Node: to read its types takes more than half of a build's time.
  const settings = readFileSync(join(packageRoot, 'tsconfig.build.json'), 'utf8');
  write('tsconfig.build.json', settings.replace('"types": ["node"]', '"types": []'));
  write('package.json', '{"name":"small","type":"commonjs"}');
  write('src/one.ts', 'export const one: number = 1;\n');
  write('src/two.ts', 'export const two = 2;\n');
  write('src/sql/001.sql', 'select 1;\n');
});

/** The same package as `npm run build` leaves it. One is built for all who change it: a build takes seconds. */
function buildFirst(): void {
  const kept = join(built, 'dist');
  if (existsSync(kept)) cpSync(kept, at('dist'), { recursive: true, preserveTimestamps: true });
  expect(build()).toEqual(GOOD);
  if (!existsSync(kept)) cpSync(at('dist'), kept, { recursive: true, preserveTimestamps: true });
}

describe('npm run build', () => {
  it('compiles, copies the SQL, and does nothing when nothing changed', () => {
    expect(build()).toEqual(GOOD);
    expect(existsSync(at('dist/src/one.js'))).toBe(true);
    expect(readFileSync(at('dist/src/sql/001.sql'), 'utf8')).toBe('select 1;\n');
    const before = statSync(at('dist/.build.json')).mtimeMs;
    expect(build()).toEqual(GOOD);
    expect(statSync(at('dist/.build.json')).mtimeMs).toBe(before);
  });

  it('removes what came from a deleted source, and restores a deleted output', () => {
    buildFirst();
    rmSync(at('src/two.ts'));
    rmSync(at('src/sql/001.sql'));
    rmSync(at('dist/src/one.js'));
    expect(build()).toEqual(GOOD);
    for (const gone of ['two.js', 'two.d.ts', 'two.js.map', 'sql/001.sql'])
      expect(existsSync(at(`dist/src/${gone}`))).toBe(false);
    expect(existsSync(at('dist/src/one.js'))).toBe(true);
  });

  it('fails on a type error, and tries again the next time', () => {
    buildFirst();
    write('src/one.ts', "export const one: number = 'one';\n");
    const failed = build();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('src/one.ts(1,14): error TS2322');
    expect(build().code).toBe(1);
    write('src/one.ts', 'export const one: number = 11;\n');
    expect(build()).toEqual(GOOD);
    expect(readFileSync(at('dist/src/one.js'), 'utf8')).toContain('11');
  });

  it('builds again after an interrupted build, also when the sources are as before it', () => {
    buildFirst();
    // Like a kill while the outputs are written: the compiler has ended, and a source cannot be copied.
    write('src/one.ts', 'export const one: number = 13;\n');
    rmSync(at('dist/src/sql'), { recursive: true });
    write('dist/src/sql', '');
    expect(build().code).not.toBe(0);
    expect(readFileSync(at('dist/src/one.js'), 'utf8')).toContain('13');
    write('src/one.ts', 'export const one: number = 1;\n');
    rmSync(at('dist/src/sql'));
    write('dist/src/sql/001.sql', 'select 1;\n');
    expect(build()).toEqual(GOOD);
    expect(readFileSync(at('dist/src/one.js'), 'utf8')).toContain('one = 1;');
  });

  it('builds again when the record of the last build is cut', () => {
    buildFirst();
    write('dist/.build.json', '');
    expect(build()).toEqual(GOOD);
    expect(build()).toEqual(GOOD);
  });

  it('bundles the workflows, and again only when what is bundled changed', () => {
    buildFirst();
    write(
      'src/workflows/index.ts',
      "export async function hello(): Promise<string> {\n  return 'hello';\n}\n",
    );
    expect(build()).toEqual(GOOD);
    const bundle = at('dist/workflow-bundle.js');
    expect(readFileSync(bundle, 'utf8')).toContain('hello');
    const before = statSync(bundle).mtimeMs;
    write('src/one.ts', 'export const one: number = 111;\n');
    expect(build()).toEqual(GOOD);
    expect(statSync(bundle).mtimeMs).toBe(before);
    write(
      'src/workflows/index.ts',
      "export async function hello(): Promise<string> {\n  return 'good morning';\n}\n",
    );
    expect(build()).toEqual(GOOD);
    expect(readFileSync(bundle, 'utf8')).toContain('good morning');
  });

  it('without the compiler keeps a dist that is there, and says what is missing when none is', () => {
    buildFirst();
    rmSync(at('node_modules'));
    write('src/one.ts', 'export const one: number = 12;\n');
    expect(build()).toMatchObject({ code: 0, stderr: expect.stringContaining('dist is kept as it is') });
    rmSync(at('dist'), { recursive: true });
    expect(build()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run `npm ci` without --omit=dev'),
    });
  });
});
