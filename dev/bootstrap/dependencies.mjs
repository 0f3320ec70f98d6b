import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { packageRoot, say } from './here.mjs';

/** Installs what the lock file says unless it is there. */
export async function installDependencies() {
  if (missingPackages(packageRoot).length === 0) return;
  const startedAt = Date.now();
  say('installing dependencies (npm ci) …');
  // Not the packages' install scripts: none is needed, and the build comes next.
  const args = ['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  const [command, first] = npmCommand();
  await runChild(command, [...first, ...args, '--loglevel=error', '--progress=false'], {
    cwd: packageRoot,
    quiet: true,
  });
  say(`dependencies installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

/** The npm that runs us, else the one on the PATH. */
function npmCommand() {
  const npm = process.env.npm_execpath;
  return npm !== undefined && /npm-cli\.[cm]?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
}

/**
 * Packages of the lock file that are not installed as it says. npm writes `node_modules/.package-lock.json` at the end
 * of an installation: so one that was interrupted, or made for another platform, counts as missing.
 */
export function missingPackages(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  return Object.entries(wanted)
    .filter(([path, entry]) => path !== '' && isForThisPlatform(entry))
    .filter(
      ([path, entry]) => !isSame(installed[path], entry) || !existsSync(join(root, path, 'package.json')),
    )
    .map(([path]) => path);
}

function readPackages(file) {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).packages ?? {}) : {};
}

function isSame(installed, wanted) {
  return installed?.version === wanted.version && installed?.integrity === wanted.integrity;
}

/**
 * An optional package may be absent for npm's own reasons; only one made for exactly this platform must be there.
 * Packages for particular C libraries are left to npm: another one of their family serves.
 */
function isForThisPlatform({ os, cpu, libc, optional }) {
  if (optional && (libc !== undefined || (os === undefined && cpu === undefined))) return false;
  return allows(os, process.platform) && allows(cpu, process.arch);
}

function allows(list, value) {
  if (list === undefined) return true;
  if (list.includes(`!${value}`)) return false;
  const named = list.filter((word) => !word.startsWith('!'));
  return named.length === 0 || named.includes(value);
}
