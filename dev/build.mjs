/**
 * `npm run build`: compiles src and dev into dist, copies the SQL beside the code, and bundles the workflows ahead.
 * Skips what is unchanged. `--say`: prints a line when it builds.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ChildFailed, runChild } from './bootstrap/child.mjs';
import { packageRoot, say } from './bootstrap/here.mjs';
import {
  FAILURE_CONVERTER,
  bundleInputs,
  digest,
  expectedOutputs,
  sourceFiles,
  staleOutputs,
} from './build-files.mjs';
import { NOTICES, writeNotices } from './notices.mjs';

const RECORD = 'dist/.build.json';
const TSC_RECORD = 'dist/.tsbuildinfo';
const WORKFLOWS = 'dist/src/workflows/index.js';
const INTERCEPTORS = ['dist/src/workflows/interceptors.js'];
/** An encrypted namespace needs another failure converter, which is part of the bundle. */
const BUNDLES = [
  { file: 'dist/workflow-bundle.js', failureConverter: null },
  { file: 'dist/workflow-bundle-encrypted.js', failureConverter: FAILURE_CONVERTER },
];
const COMMAND = 'dist/src/starter.js';

const require = createRequire(import.meta.url);
const inPackage = (path) => join(packageRoot, path);
const isThere = (path) => existsSync(inPackage(path));

async function build() {
  const sources = sourceFiles(packageRoot);
  const inputs = digest(packageRoot, sources);
  const outputs = expectedOutputs(sources);
  const complete =
    [...outputs, NOTICES].every(isThere) &&
    (bundles().every(({ file }) => isThere(file)) || !outputs.includes(WORKFLOWS));
  const previous = readRecord();
  if (complete && previous.inputs === inputs) return 0;

  if (!isThere('node_modules/typescript/bin/tsc')) return withoutCompiler(complete);
  if (process.argv.includes('--say')) say('building, some half a minute …');
  if (!complete || previous.inputs === undefined) rmSync(inPackage(TSC_RECORD), { force: true });
  // From here on dist is a mixture of two builds. If this build is interrupted, the missing record makes the next build
  // start again.
  rmSync(inPackage(RECORD), { force: true });
  await compile();
  for (const file of sources.filter((path) => path.endsWith('.sql'))) copyToDist(file);
  for (const file of staleOutputs(packageRoot, outputs)) rmSync(inPackage(file));
  writeNotices(packageRoot);
  const bundle = await bundleWorkflows(previous.bundle);
  writeFileSync(inPackage(RECORD), `${JSON.stringify({ inputs, bundle })}\n`);
  return 0;
}

/** Without a readable record everything is built. */
function readRecord() {
  try {
    return JSON.parse(readFileSync(inPackage(RECORD), 'utf8'));
  } catch {
    return {};
  }
}

/** For an installation without the compiler (`npm ci --omit=dev`): its dist must have been built elsewhere. */
function withoutCompiler(complete) {
  if (complete || isThere('dist/src')) {
    process.stderr.write(
      'giro: dist is kept as it is: without the development packages nothing can be built\n',
    );
    return 0;
  }
  process.stderr.write(
    'giro: dist is missing, and TypeScript to build it with: run `npm ci` without --omit=dev, then `npm run build`\n',
  );
  return 1;
}

async function compile() {
  const args = [inPackage('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--noEmitOnError'];
  await runChild(process.execPath, args, { cwd: packageRoot });
  // In a checkout, `npx giro` executes the file directly.
  if (isThere(COMMAND)) chmodSync(inPackage(COMMAND), 0o755);
}

function copyToDist(file) {
  const target = inPackage(join('dist', file));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(inPackage(file), target);
}

/**
 * Workers start from the bundle: bundling at the start would take seconds, and the memory of the compiler.
 */
async function bundleWorkflows(previous) {
  if (!isThere(WORKFLOWS)) {
    for (const { file } of BUNDLES) rmSync(inPackage(file), { force: true });
    return null;
  }
  const inputs = digest(packageRoot, bundleInputs(packageRoot));
  if (inputs === previous && bundles().every(({ file }) => isThere(file))) return inputs;
  const { bundleWorkflowCode } = require('@temporalio/worker');
  const workflowsPath = inPackage(WORKFLOWS);
  for (const { file, failureConverter } of bundles()) {
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      ...(failureConverter === null ? {} : { failureConverterPath: inPackage(failureConverter) }),
      // Giro's modules keep no state, so all cached workflows share one copy. This saves 47 KB of heap for each.
      preloadModules: [workflowsPath],
      workflowInterceptorModules: INTERCEPTORS.filter(isThere).map(inPackage),
      webpackConfigHook: withSmallSourceMap,
      logger: quietLogger(),
    });
    writeFileSync(inPackage(file), inAscii(code));
  }
  return inputs;
}

/**
 * A worker keeps the bundle and its source map in memory, once for each of two threads. Stack traces need files and
 * lines, but neither columns nor the sources themselves.
 */
function withSmallSourceMap(config) {
  return {
    ...config,
    devtool: 'inline-nosources-cheap-module-source-map',
    output: { ...config.output, devtoolModuleFilenameTemplate: '[resource-path]' },
  };
}

/**
 * If a text has a single character beyond ASCII, Node.js may keep all of it in two bytes a character. Such characters
 * occur only in comments, strings and regular expressions, where an escape means the same.
 */
function inAscii(code) {
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The bundles whose parts exist. */
function bundles() {
  return BUNDLES.filter(({ failureConverter }) => failureConverter === null || isThere(failureConverter));
}

function quietLogger() {
  const { DefaultLogger } = require('@temporalio/worker');
  return new DefaultLogger('WARN');
}

try {
  process.exitCode = await build();
} catch (error) {
  // The compiler has printed what is wrong.
  if (!(error instanceof ChildFailed)) throw error;
  process.exitCode = error.exitCode;
}
