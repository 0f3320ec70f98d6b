import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { NodeEnv } from '../node-env';
import type { Scope } from '../scope';
import type { ContainerEngine } from './engine';
import { goProgram } from './go-program';
import type { GoProgram } from './go-program';
import { run, works } from '../run';
import { tagOf } from './stand-ins';

const PLUGIN: GoProgram = {
  ...{ name: 'docker-compose', module: 'github.com/docker/compose/v2', version: 'v2.39.4' },
  main: './cmd',
};
const OURS = 'giro:local';

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
}

interface Options {
  readonly engine: ContainerEngine;
  /** The copy of the checkout. */
  readonly folder: string;
  readonly env: NodeEnv;
  readonly log: (line: string) => void;
}

/** The docker-compose.yml of a folder as a separate project, with its own container names, volumes and free ports. */
export interface Project {
  readonly name: string;
  /** The image of Giro, under a name for this project. */
  readonly ourImage: string;
  /** Images to pull, without repeats. */
  readonly images: readonly string[];
  compose(...args: readonly string[]): Promise<string>;
  /**
   * Writes the differences from docker-compose.yml. Leaves out services whose image is in `without`, and names images
   * of `standIns` by tag. Returns the services left out.
   */
  configure(without: readonly string[], standIns: readonly string[]): Promise<readonly string[]>;
  /** Ids of a service's running containers. */
  containers(service: string): Promise<readonly string[]>;
  /** The address on this machine that leads to a service's port: `127.0.0.1:PORT`. */
  address(service: string, port: number): Promise<string>;
  /** Runs a program in a container, and returns its stdout. */
  exec(container: string, command: readonly string[]): Promise<string>;
  /** Runs `giro` in a worker's container, with the login of people's commands, and returns its stdout. */
  giro(args: readonly string[], stdin?: string): Promise<string>;
}

export async function openProject(scope: Scope, options: Options): Promise<Project> {
  const { engine, folder } = options;
  const name = `giro-check-${randomBytes(4).toString('hex')}`;
  const command = await composeCommand(options);
  const [program = '', ...first] = command;
  const override = join(folder, 'check.yml');
  const { services } = parse(await readFile(join(folder, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
  };
  const ourImage = `giro:${name}`;
  const files = ['-p', name, '-f', join(folder, 'docker-compose.yml'), '-f', override];
  const compose = async (...args: readonly string[]) => {
    // Otherwise a running step could restart what is being stopped.
    if (scope.ended) throw new Error(`compose ${args.join(' ')}: everything is being taken down`);
    return run(program, [...first, ...files, ...args], { env: engine.env });
  };
  const down = () =>
    run(program, [...first, ...files, 'down', '--volumes', '--timeout', '20'], {
      env: engine.env,
      throughSignals: true,
    });
  const project: Project = {
    ...{ name, ourImage, compose },
    images: [...new Set(Object.values(services).map(({ image }) => image))].filter((image) => image !== OURS),
    configure: async (without, standIns) => {
      const lacking = Object.keys(services).filter((service) =>
        without.includes(services[service]?.image ?? ''),
      );
      await writeFile(override, overrideOf(services, { ourImage, lacking, standIns }));
      scope.own(name, () => takeDown(engine, name, down));
      return lacking;
    },
    containers: async (service) =>
      (await compose('ps', '--quiet', service)).split('\n').filter((id) => id !== ''),
    address: async (service, port) => {
      const [line = ''] = (await compose('port', service, String(port))).trim().split('\n');
      return line;
    },
    giro: async (args, stdin) => {
      const [worker = ''] = await project.containers('worker');
      const line = ['node', 'dist/src/starter.js', ...args];
      // The input is an argument, so that no file stays in the container.
      const shell =
        stdin === undefined
          ? line
          : ['sh', '-c', 'text=$1; shift; printf %s "$text" | "$@"', 'sh', stdin, ...line];
      const login = join(folder, 'ops/compose/secrets/giro-operator.env');
      return engine.docker(['exec', '--env-file', login, worker, ...shell]);
    },
    exec: (container, commandLine) => engine.docker(['exec', container, ...commandLine]),
  };
  return project;
}

async function takeDown(engine: ContainerEngine, name: string, down: () => Promise<string>): Promise<void> {
  // A command that a signal interrupted may have created something after the first `down`, so repeat it.
  await down().catch(() => undefined);
  if ((await leftOf(engine, name)) !== '') await down();
  const left = await leftOf(engine, name);
  if (left !== '') throw new Error(`left behind: ${left}`);
}

/** Ids of the containers, volumes and networks of a project. */
async function leftOf({ docker }: ContainerEngine, name: string): Promise<string> {
  const of = ['--quiet', '--filter', `label=com.docker.compose.project=${name}`];
  const ask = (...what: readonly string[]) => docker([...what, ...of], { throughSignals: true });
  const left = [await ask('ps', '--all'), await ask('volume', 'ls'), await ask('network', 'ls')];
  return left.join('').trim().replaceAll('\n', ', ');
}

/** Free ports instead of the usual ones, and other names of images. */
function overrideOf(
  services: Readonly<Record<string, Service>>,
  {
    ourImage,
    lacking,
    standIns,
  }: {
    readonly ourImage: string;
    readonly lacking: readonly string[];
    readonly standIns: readonly string[];
  },
): string {
  const changed = Object.entries(services).map(([name, service]) => {
    const lines = [`  ${name}:`];
    if (service.image === OURS) lines.push(`    image: ${ourImage}`);
    // A stand-in has no registry digest.
    if (standIns.includes(service.image)) lines.push(`    image: ${tagOf(service.image)}`);
    const ports = (service.ports ?? []).map((port) => port.replace(/^127\.0\.0\.1:\d+:/, '127.0.0.1::'));
    // Without `!override`, Compose would add to the list.
    if (ports.length > 0) lines.push(`    ports: !override ${JSON.stringify(ports)}`);
    if (lacking.includes(name)) lines.push(`    profiles: ${JSON.stringify(['lacking'])}`);
    return lines.length > 1 ? `${lines.join('\n')}\n` : '';
  });
  return `services:\n${changed.join('')}`;
}

async function composeCommand({ engine, env, log }: Options): Promise<readonly string[]> {
  if (await works('docker', ['compose', 'version'], engine.env)) return ['docker', 'compose'];
  return [await goProgram(PLUGIN, { env, log })];
}
