import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option as CommandOption } from 'commander';
import { until } from '../giro-environment';
import type { Scope } from '../scope';
import { copyCheckout } from './checkout-copy';
import { Checks } from './checks';
import { openProject } from './compose';
import type { Project } from './compose';
import { findEngine } from './engine';
import type { ContainerEngine } from './engine';
import { decodeThroughGateway } from './gateway';
import { checkKubernetes } from './kubernetes';
import { buildImage, inspectImage } from './image';
import { monitoringOf } from './monitoring';
import { part } from './part';
import { receiverReaches } from './reachable';
import { run } from '../run';
import { shortenAlerts } from './short-alerts';
import { haveImages, tagOf } from './stand-ins';
import { batchOf } from './transfers';

const UP_MS = 180_000;

type Part = 'compose' | 'kubernetes';

interface Options {
  readonly short?: boolean;
  readonly only?: Part;
}

const startedMs = Date.now();
const say = (line: string): void => {
  process.stdout.write(`${((Date.now() - startedMs) / 1_000).toFixed(0).padStart(5)} s  ${line}\n`);
};

async function checkCompose(short: boolean, checks: Checks, scope: Scope): Promise<void> {
  const env = process.env;
  const engine = await findEngine(scope, env);
  say(`container engine: ${engine.own ? 'one of our own, for this check' : 'the one that runs'}`);
  const folder = await copyCheckout(scope);
  const project = await openProject(scope, { engine, folder, env, log: say });

  const named = await baseImage(folder);
  const images = [named, ...project.images];
  const had = await haveImages(images, { engine, env, log: say }, scope);
  const lacking = images.filter((image) => had.get(image) === 'none');
  for (const image of lacking) checks.skip(image, 'cannot be pulled, and nothing stands in for it');

  // A stand-in has no registry digest.
  const base = had.get(named) === 'stand-in' ? tagOf(named) : named;
  const built = await checks.check('the Dockerfile builds from a checkout under umask 077', () =>
    buildImage(engine, { folder, image: project.ourImage, base }, scope),
  );
  if (!built) return;
  await checks.check('the image is small, whole and unprivileged', () =>
    inspectImage(engine, project.ourImage, base),
  );
  await run('sh', [join(folder, 'ops/compose/make-secrets.sh')], { env });
  const standIns = images.filter((image) => had.get(image) === 'stand-in');
  const left = await project.configure(lacking, standIns);
  for (const service of left) checks.skip(`the service ${service}`, 'has no image');
  if (short) await shortenAlerts(folder);
  const up = await checks.check('Compose comes up', () => bringUp(project));
  if (up) await tryOut(project, engine, checks, short);
  else say((await project.compose('logs', '--tail', '15')).slice(-6_000));
}

async function tryOut(
  project: Project,
  engine: ContainerEngine,
  checks: Checks,
  short: boolean,
): Promise<void> {
  const monitoring = monitoringOf(project);
  const batch = batchOf(project, short);
  const WORKERS = 2;
  const kill = async (service: string) => {
    const ids = (await project.containers(service)).slice(0, 1);
    await engine.docker(['kill', ...ids]);
  };
  const again = (...services: readonly string[]) =>
    project.compose('up', '--detach', '--no-build', ...services);
  const outage = async (name: string, services: readonly string[], alerts: readonly string[]) => {
    await checks.check(`${name}: its alerts fire and reach Alertmanager`, () => monitoring.fire(...alerts));
    await again(...services);
    await checks.check(`${name} again: its alerts clear`, () => monitoring.clear(...alerts));
  };

  await checks.check('doctor finds nothing', async () => {
    await until(
      () => project.giro(['doctor']),
      () => true,
      30_000,
    );
  });
  await checks.check('Prometheus scrapes every process', () =>
    monitoring.scrapes({ 'giro-worker': WORKERS, 'giro-receiver': 1 }),
  );
  await checks.check('the receiver reaches PostgreSQL, and neither Temporal nor the bank', () =>
    receiverReaches(project, engine),
  );
  await checks.check('transfers start', () => batch.start());
  await kill('worker');
  await kill('receiver');
  if (!short) {
    await kill('temporal');
    await outage('Temporal', ['temporal'], ['GiroTemporalAway']);
    await kill('postgres');
    await outage('PostgreSQL', ['postgres', 'temporal'], ['GiroJournalAway']);
  }
  await outage('a worker and the receiver', ['worker', 'receiver'], ['GiroWorkerDown', 'GiroReceiverDown']);
  await checks.check('each transfer ends as its kind says', () => batch.finish());
  await checks.check('the books agree', () => batch.compareBooks());
  await checks.check('the receiver takes a notification', () => notify(project));
  await checks.check('a payload is decoded through the gateway', () =>
    decodeThroughGateway(project, batch.originId),
  );
  await checks.check('doctor finds nothing afterwards', async () => {
    await project.giro(['doctor']);
  });
}

async function bringUp(project: Project): Promise<string> {
  await project.compose('up', '--detach', '--no-build', '--quiet-pull');
  const states = await until(
    async () =>
      (await project.compose('ps', '--all', '--format', '{{.Service}} {{.State}} {{.Health}} {{.ExitCode}}'))
        .trim()
        .split('\n'),
    (lines) => lines.every((line) => / running healthy 0$| running +0$| exited +0$/.test(line)),
    UP_MS,
  );
  return `${states.length} containers`;
}

/** Sends a notification as the bank would, about an unknown movement. */
async function notify(project: Project): Promise<string> {
  const [receiver = ''] = await project.containers('receiver');
  const secret = (await project.exec(receiver, ['cat', '/run/secrets/receiver-path-secret'])).trim();
  const { status } = await fetch(`http://${await project.address('receiver', 8080)}/webhooks/${secret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'deploy-check', data: {} }),
  });
  if (status !== 200) throw new Error(`answered ${status}`);
  return '200';
}

/** The Dockerfile's base image. */
async function baseImage(folder: string): Promise<string> {
  const [, base] = /^ARG NODE_IMAGE=(\S+)/m.exec(await readFile(join(folder, 'Dockerfile'), 'utf8')) ?? [];
  if (base === undefined) throw new Error('the Dockerfile names no NODE_IMAGE');
  return base;
}

/**
 * `npm run deploy-check`: builds the image, brings docker-compose.yml up as a separate project, and runs transfers of
 * all kinds while parts are killed. Then it waits for the alerts, compares the books, and stops everything. Needs a
 * running container engine, or root and an installed one; otherwise this part is skipped. The manifests for Kubernetes
 * are checked too.
 */
async function main(): Promise<void> {
  const options = new Command('npm run deploy-check --')
    .description('Builds the image, runs docker-compose.yml, breaks it in places, and takes it down.')
    .option(
      '--short',
      'Compose alone: six transfers, one outage, alerts that wait seconds in place of minutes',
    )
    .addOption(new CommandOption('--only <part>', 'one part').choices(['compose', 'kubernetes']))
    .parse()
    .opts<Options>();
  const { short = false, only } = options;
  if (short && only === 'kubernetes') {
    process.stderr.write('--short is Compose alone: it goes without --only kubernetes\n');
    process.exitCode = 2;
    return;
  }
  const checks = new Checks(say);
  if (only !== 'kubernetes') await part('Compose', checks, (scope) => checkCompose(short, checks, scope));
  if (only !== 'compose' && !short)
    await part('Kubernetes', checks, (scope) =>
      checkKubernetes(checks, scope, { env: process.env, log: say }),
    );
  process.stdout.write(`${checks.line()}\n`);
  process.exitCode = checks.failed === 0 ? 0 : 1;
}

void main();
