import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../package-root';
import type { Scope } from '../scope';
import type { Edit, PlantedBug } from './bugs';

/**
 * Copies all files that git tracks, as they are on disk, with the same packages. The copy is deleted with the scope.
 */
export function copyOfCheckout(scope: Scope): string {
  const folder = scope.own(mkdtempSync(join(tmpdir(), 'giro-planted-bugs-')), (it) =>
    rmSync(it, { recursive: true, force: true, maxRetries: 10 }),
  );
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: packageRoot, encoding: 'utf8' });
  for (const file of tracked.split('\0').filter(Boolean)) cpSync(join(packageRoot, file), join(folder, file));
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Edits the copy. The returned function removes the bug again. */
export function plant(folder: string, { edits }: PlantedBug): () => void {
  const before = new Map<string, string>();
  for (const edit of edits) {
    const path = join(folder, edit.file);
    const text = readFileSync(path, 'utf8');
    if (!before.has(path)) before.set(path, text);
    writeFileSync(path, edited(text, edit));
  }
  return () => {
    for (const [path, text] of before) writeFileSync(path, text);
  };
}

/** @throws Error when the text to change is missing or occurs more than once. */
export function edited(text: string, { file, from, to }: Edit): string {
  const [head, tail, ...more] = text.split(from);
  if (head === undefined || tail === undefined || more.length > 0)
    throw new Error(`${file} has not exactly one ${JSON.stringify(from)}`);
  return `${head}${to}${tail}`;
}
