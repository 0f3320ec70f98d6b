import type { Scope } from '../scope';
import type { ContainerEngine } from './engine';

/** Largest size of the image without its base, in MB of 10^6 bytes. */
const BEYOND_BASE_MAX_MB = 250;
const BUILD_TIMEOUT_MS = 30 * 60_000;

interface Inspected {
  readonly Size: number;
  readonly Config: { readonly User: string };
}

/**
 * A script for the image's folder. The image's user runs it, and must be able to read every file; it prints its
 * findings.
 */
export const READ_ITSELF = `
  const { readdirSync, readFileSync } = require('node:fs');
  const { components } = JSON.parse(readFileSync('sbom.cdx.json', 'utf8'));
  const natives = readdirSync('node_modules/@temporalio/core-bridge/releases');
  require('@temporalio/worker');
  for (const entry of readdirSync('.', { recursive: true, withFileTypes: true }))
    if (entry.isFile()) readFileSync(entry.parentPath + '/' + entry.name);
  console.log(JSON.stringify({ components: components.length, natives, tools: ['jest', 'typescript', 'eslint']
    .filter((name) => readdirSync('node_modules').includes(name)) }));
`;

/** Builds a folder's Dockerfile on `base`. The images of all stages are removed with the scope. */
export async function buildImage(
  { docker }: ContainerEngine,
  { folder, image, base }: { readonly folder: string; readonly image: string; readonly base: string },
  scope: Scope,
): Promise<void> {
  const build = async (tag: string, ...more: readonly string[]) => {
    const args = [
      '--force-rm',
      '--network',
      'host',
      '--build-arg',
      `NODE_IMAGE=${base}`,
      '--tag',
      tag,
      ...more,
      folder,
    ];
    await docker(['build', ...args], { timeoutMs: BUILD_TIMEOUT_MS });
    scope.own(tag, async (it) => {
      await docker(['image', 'rm', it], { throughSignals: true });
    });
  };
  // The first stage gets a name, so that its layers can be removed. The second build finds them in the cache.
  await build(`${image}-stage`, '--target', 'build');
  await build(image);
}

/** Checks the built image: user, read-only root, size, bill of materials, native modules. */
export async function inspectImage(engine: ContainerEngine, image: string, base: string): Promise<string> {
  const of = async (name: string) =>
    (JSON.parse(await engine.docker(['image', 'inspect', name])) as readonly Inspected[])[0];
  const [built, under] = [await of(image), await of(base)];
  if (built?.Config.User !== '1000') throw new Error(`runs as ${built?.Config.User ?? 'nobody'}`);
  const beyondMb = (built.Size - (under?.Size ?? 0)) / 1e6;
  if (beyondMb > BEYOND_BASE_MAX_MB) throw new Error(`${beyondMb.toFixed(0)} MB beyond its base`);
  // As the image's user, without a network, on a read-only root.
  const answer = JSON.parse(
    await engine.docker([
      'run',
      '--rm',
      '--read-only',
      '--network',
      'none',
      '--entrypoint',
      'node',
      image,
      '-e',
      READ_ITSELF,
    ]),
  ) as {
    readonly components: number;
    readonly natives: readonly string[];
    readonly tools: readonly string[];
  };
  if (answer.natives.length !== 1) throw new Error(`native modules of ${answer.natives.join()}`);
  if (answer.tools.length > 0) throw new Error(`development packages: ${answer.tools.join()}`);
  return `${beyondMb.toFixed(0)} MB beyond its base, ${answer.components} packages in its bill of materials, user 1000`;
}
