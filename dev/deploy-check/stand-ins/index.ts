import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeEnv } from '../../node-env';
import type { Scope } from '../../scope';
import type { ContainerEngine } from '../engine';
import { BASE_IMAGE, makeBase } from './base';
import { alertmanagerStandIn, nginxStandIn, prometheusStandIn } from './debian';
import { nodeStandIn } from './node';
import { postgresStandIn } from './postgres';
import type { StandIn } from './stand-in';
import { temporalServerStandIn, temporalToolsStandIn, temporalUiStandIn } from './temporal';

const STAND_INS: readonly StandIn[] = [
  nodeStandIn,
  postgresStandIn,
  temporalServerStandIn,
  temporalToolsStandIn,
  temporalUiStandIn,
  nginxStandIn,
  prometheusStandIn,
  alertmanagerStandIn,
];

interface Options {
  readonly engine: ContainerEngine;
  readonly env: NodeEnv;
  readonly log: (line: string) => void;
}

/** The origin of an image. `none`: it could not be pulled, and has no stand-in. */
export type Had = 'local' | 'pulled' | 'stand-in' | 'none';

/** Pulls every image, or builds it under its name; built images are removed with the scope. */
export async function haveImages(
  images: readonly string[],
  options: Options,
  scope: Scope,
): Promise<ReadonlyMap<string, Had>> {
  const had = new Map<string, Had>();
  const lacking: string[] = [];
  for (const image of images) {
    if (await isLocal(image, options.engine)) had.set(image, 'local');
    else lacking.push(image);
  }
  await Promise.all(
    lacking.map(async (image) => had.set(image, (await pulls(image, options)) ? 'pulled' : 'none')),
  );
  const unpulled = lacking.filter((image) => had.get(image) === 'none');
  const replaced = unpulled.flatMap((image) => {
    const standIn = STAND_INS.find(({ repository }) => repository === repositoryOf(image));
    return standIn === undefined ? [] : [{ image, standIn }];
  });
  if (replaced.length === 0) return had;
  scope.own(BASE_IMAGE, (image) => remove(image, options));
  await makeBase(options);
  for (const { image, standIn } of replaced) {
    options.log(`${image} cannot be pulled: built of ${standIn.madeOf}`);
    const tag = scope.own(tagOf(image), (it) => remove(it, options));
    await build(tag, standIn, options);
    had.set(image, 'stand-in');
  }
  return had;
}

/** `node:22` of `node:22@sha256:…`. */
export const tagOf = (image: string): string => image.replace(/@.*$/, '');
/** `prom/prometheus` of `prom/prometheus:v3.5.0`. */
const repositoryOf = (image: string): string => image.replace(/[:@].*$/, '');

async function isLocal(image: string, { docker }: ContainerEngine): Promise<boolean> {
  return docker(['image', 'inspect', image]).then(
    () => true,
    () => false,
  );
}

async function pulls(image: string, { engine }: Options): Promise<boolean> {
  return engine.docker(['pull', '--quiet', image]).then(
    () => true,
    () => false,
  );
}

async function build(image: string, { prepare, dockerfile }: StandIn, options: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'giro-stand-in-'));
  try {
    await prepare(folder, options);
    await writeFile(join(folder, 'Dockerfile'), dockerfile);
    await options.engine.docker(['build', '--force-rm', '--network', 'none', '--tag', image, folder]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function remove(image: string, { engine }: Options): Promise<void> {
  await engine.docker(['image', 'rm', '--force', image], { throughSignals: true });
}
