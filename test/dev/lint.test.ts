import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { useTemporaryFolder } from './temporary-folder';

interface FileReport {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string | null }[];
}

const IMPORTS = '@typescript-eslint/no-restricted-imports';

/** A file that breaks house rules → the rules it breaks, one per line that breaks one. */
const CASES: Readonly<Record<string, { readonly code: string; readonly rules: readonly string[] }>> = {
  'src/workflows/fenced.ts': {
    code: `import 'zod';
import 'axios';
import 'pg';
import { readFileSync } from 'node:fs';
import { send } from '../activities/send';
export const all = [readFileSync, send];
`,
    rules: [IMPORTS, IMPORTS, IMPORTS, IMPORTS, IMPORTS],
  },
  'src/workflows/typed.ts': {
    code: `import type { send } from '../activities/send';
export type Send = typeof send;
`,
    rules: [],
  },
  'src/workflows/clocked.ts': {
    code: `export const now = (): number => Date.now();
export const today = (): Date => new Date();
export const then = (ms: number): Date => new Date(ms);
`,
    rules: ['no-restricted-syntax', 'no-restricted-syntax'],
  },
  'src/activities/send.ts': {
    code: `export async function send(): Promise<void> {
  await Promise.resolve();
}
export function forget(kind: 'a' | 'b'): string {
  send();
  console.log(process.env['SECRET']);
  process.exit(1);
  switch (kind) {
    case 'a':
      return 'a';
  }
}
`,
    rules: [
      '@typescript-eslint/no-floating-promises',
      'no-console',
      'no-restricted-properties',
      'no-restricted-properties',
      '@typescript-eslint/switch-exhaustiveness-check',
    ],
  },
  'src/domain/impure.ts': {
    code: `export const now = (): number => new Date().getTime() + Math.random();
export const later = (done: () => void): unknown => setTimeout(done, 1);
`,
    rules: ['no-restricted-globals', 'no-restricted-properties', 'no-restricted-globals'],
  },
  'src/config/env.ts': { code: `export const path = process.env['PATH'];\n`, rules: [] },
};

describe('the lint rules of the house', () => {
  const root = useTemporaryFolder();

  it('each is broken by what it forbids, and only by that', () => {
    for (const [path, { code }] of Object.entries(CASES)) {
      mkdirSync(dirname(join(root(), path)), { recursive: true });
      writeFileSync(join(root(), path), code);
    }
    for (const path of ['eslint.config.mjs', 'tsconfig.json'])
      cpSync(join(packageRoot, path), join(root(), path));
    symlinkSync(join(packageRoot, 'node_modules'), join(root(), 'node_modules'));
    const eslint = join(packageRoot, 'node_modules/eslint/bin/eslint.js');
    const { stdout, stderr } = spawnSync(process.execPath, [eslint, '--format', 'json', 'src'], {
      cwd: root(),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const reports = JSON.parse(stdout) as FileReport[];
    for (const [path, { rules }] of Object.entries(CASES)) {
      const report = reports.find(({ filePath }) => filePath.endsWith(path));
      expect([path, report?.messages.map(({ ruleId }) => ruleId)]).toEqual([path, rules]);
    }
  });
});
