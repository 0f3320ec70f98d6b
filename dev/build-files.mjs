import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Paths here are relative to the package, with `/`. */

/** The auditor belongs to the tests, but `npm run simulate` runs it too. */
const FOLDERS = ['src', 'dev', 'bench', 'test/chaos/auditor'];
const SETTINGS = [
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'dev/build.mjs',
  'dev/build-files.mjs',
  'dev/notices.mjs',
  'dev/licences/Apache-2.0.txt',
  'dev/licences/MIT.txt',
];
/** Part of the bundle for encrypted namespaces. */
export const FAILURE_CONVERTER = 'dist/src/codec/failure-converter.js';
const BUNDLED_FOLDERS = ['dist/src/workflows', 'dist/src/domain'];

/** All files that determine the content of dist. */
export function sourceFiles(root) {
  return [
    ...FOLDERS.flatMap((folder) => filesIn(root, folder)).filter((path) => /\.(ts|json|sql)$/.test(path)),
    ...SETTINGS,
  ];
}

/** The files of a complete dist: for each source, the file that is run or read. */
export function expectedOutputs(sources) {
  return sources
    .filter((path) => /\.(ts|sql)$/.test(path) && !/\.(d|test)\.ts$/.test(path))
    .map((path) => `dist/${path.replace(/\.ts$/, '.js')}`);
}

/** Files in dist whose source is gone: a deleted workflow, activity or migration must not remain there. */
export function staleOutputs(root, outputs) {
  const kept = new Set(outputs);
  return FOLDERS.flatMap((folder) => filesIn(root, `dist/${folder}`)).filter((path) => {
    if (path.endsWith('.json')) return !existsSync(join(root, path.slice('dist/'.length)));
    return !kept.has(path.replace(/(\.d\.ts|\.js)(\.map)?$/, '.js'));
  });
}

/** The inputs of the workflow bundle: the compiled workflows, what they import, and the lock file for the SDK. */
export function bundleInputs(root) {
  const code = BUNDLED_FOLDERS.flatMap((folder) => filesIn(root, folder)).filter((path) =>
    path.endsWith('.js'),
  );
  return [...code, FAILURE_CONVERTER, 'package-lock.json', 'dev/build.mjs'].filter((path) =>
    existsSync(join(root, path)),
  );
}

/** Hex SHA-256 over names and contents. */
export function digest(root, paths) {
  const hash = createHash('sha256');
  for (const path of [...paths].sort()) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
