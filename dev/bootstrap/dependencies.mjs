import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { packageRoot, say } from './here.mjs';

/** Installs the packages of the lock file, unless they are installed. */
export async function installDependencies() {
  if (missingPackages(packageRoot).length === 0) return;
  const startedAt = Date.now();
  say('installing dependencies (npm ci) …');
  // Without the packages' install scripts: none is needed, and the build comes next.
  const args = ['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  const [command, first] = npmCommand();
  await runChild(command, [...first, ...args, '--loglevel=error', '--progress=false'], {
    cwd: packageRoot,
    quiet: true,
  });
  say(`dependencies installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

/** The npm that runs this script, otherwise the npm on the PATH. */
function npmCommand() {
  const npm = process.env.npm_execpath;
  return npm !== undefined && /npm-cli\.[cm]?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
}

/**
 * Packages that are not installed as the lock file says. npm writes `node_modules/.package-lock.json` at the end of an
 * installation. So the packages of an interrupted installation, or of one for another platform, count as missing.
 */
export function missingPackages(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const installed = installedPackages(join(root, 'node_modules', '.package-lock.json'));
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

/** The installed packages. None if the list was cut off by a full disk or a kill: then all are installed again. */
function installedPackages(file) {
  try {
    return readPackages(file);
  } catch {
    return {};
  }
}

function isSame(installed, wanted) {
  return installed?.version === wanted.version && installed?.integrity === wanted.integrity;
}

/**
 * Whether a package must be installed on this platform. Of the optional packages, only those for exactly this platform
 * must be; npm may leave out any other. Packages for one C library are left to npm, because their variant for another
 * library may serve instead.
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
