import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { lastingPort } from '../free-port';
import { newTemporaryFolder, startKept } from '../kept-process';
import type { NodeEnv } from '../node-env';
import { packageRoot } from '../package-root';
import type { Scope } from '../scope';
import { waitUntilServing } from '../wait-until-serving';
import type { Checks } from './checks';
import { cached, moduleFolder } from './go-program';
import { CannotRun, run, works } from '../run';

const KUBERNETES = { module: 'k8s.io/kubernetes', version: 'v1.36.3' };
/** The staging modules have the same version under v0. */
const STAGING = KUBERNETES.version.replace(/^v1/, 'v0');
const KEDA = { module: 'github.com/kedacore/keda/v2', version: 'v2.20.2' };
const KEDA_KINDS = ['scaledobjects', 'triggerauthentications'];
const BUILD_TIMEOUT_MS = 60 * 60_000;
const START_TIMEOUT_MS = 120_000;
const NAMESPACE = 'giro';

interface Options {
  readonly env: NodeEnv;
  readonly log: (line: string) => void;
}

type Kubectl = (args: readonly string[], timeoutMs?: number) => Promise<string>;

interface PodTemplate {
  readonly metadata: object;
  readonly spec: { readonly containers: readonly { readonly securityContext: object }[] };
}
interface Owner {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: PodTemplate };
}

/**
 * Applies the manifests to a real API server without nodes. The server validates each field, and checks pods against
 * the namespace's Pod Security.
 */
export async function checkKubernetes(checks: Checks, scope: Scope, options: Options): Promise<void> {
  const missing: string[] = [];
  for (const [program, args] of [
    ['kubectl', ['version', '--client']],
    ['etcd', ['--version']],
    ['go', ['version']],
  ] as const)
    if (!(await works(program, args, options.env))) missing.push(program);
  if (missing.length > 0)
    throw new CannotRun(
      `${missing.join(', ')} must be installed (Debian: apt-get install etcd-server kubernetes-client golang)`,
    );
  const kubectl = await startApiServer(scope, options);
  await checks.check('the API server takes the definitions of KEDA', async () => {
    const folder = await moduleFolder(KEDA.module, KEDA.version, options.env);
    for (const kind of KEDA_KINDS) {
      const definition = join(folder, 'config', 'crd', 'bases', `keda.sh_${kind}.yaml`);
      await kubectl(['apply', '--server-side', '-f', definition]);
      await kubectl(['wait', '--for=condition=established', '--timeout=60s', `crd/${kind}.keda.sh`]);
    }
    return KEDA.version;
  });
  // The order of docs/deployment.md: setup first.
  for (const steps of ['common,setup', 'common,services'])
    await checks.check(`the overlay for production is applied: ${steps}`, () =>
      applied(kubectl, 'production', ['-l', `giro/step in (${steps})`]),
    );
  await checks.check('its pods are restricted, and others refused', () => podSecurity(scope, kubectl));
  await checks.check('workers are replaced and stopped by the commands of docs/deployment.md', () =>
    stopAsWritten(kubectl),
  );
  await checks.check('the overlay for a test cluster would be applied', async () => {
    await kubectl(['delete', 'job', 'giro-setup', '-n', NAMESPACE]);
    return applied(kubectl, 'test', ['--dry-run=server', '--force-conflicts']);
  });
}

async function applied(kubectl: Kubectl, overlay: string, more: readonly string[]): Promise<string> {
  const folder = join(packageRoot, 'ops', 'kubernetes', overlay);
  const output = await kubectl(['apply', '--server-side', '--validate=strict', '-k', folder, ...more]);
  return `${output.trim().split('\n').length} objects`;
}

/** Runs the page's commands that replace, stop and start pods, without `wait`: no controller runs here. */
async function stopAsWritten(kubectl: Kubectl): Promise<string> {
  const page = await readFile(join(packageRoot, 'docs', 'deployment.md'), 'utf8');
  const commands = [...page.matchAll(/^ *kubectl (-n giro (?:rollout|annotate|scale) .*?)(?: &&)?$/gm)].map(
    ([, words = '']) => words.split(' '),
  );
  const seen: string[] = [];
  for (const command of commands) {
    await kubectl(command);
    const replicas = ['giro-worker', 'giro-receiver'].map((name) =>
      kubectl(['get', 'deployment', name, '-n', NAMESPACE, '-o', 'jsonpath={.spec.replicas}']),
    );
    seen.push((await Promise.all(replicas)).join('+'));
  }
  // A restart and a pause change no number; then all are stopped, and started.
  const [restarted = '', paused, ...rest] = seen;
  if (restarted !== paused || rest.join() !== '0+0,2+2,2+2') throw new Error(`replicas: ${seen.join(', ')}`);
  return `${commands.length} commands`;
}

/** The server checks pods, not Deployments, so each template is submitted as a pod. */
async function podSecurity(scope: Scope, kubectl: Kubectl): Promise<string> {
  const { items } = JSON.parse(await kubectl(['get', 'deployments,jobs', '-n', NAMESPACE, '-o', 'json'])) as {
    readonly items: readonly Owner[];
  };
  if (items.length !== 4) throw new Error(`${items.length} owners of pods`);
  const folder = scope.own(newTemporaryFolder('pods'), (it) => rm(it, { recursive: true, force: true }));
  await mkdir(folder);
  const tried = async (name: string, { metadata, spec }: PodTemplate): Promise<string> => {
    const file = join(folder, `${name}.json`);
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name, namespace: NAMESPACE },
      spec,
    };
    await writeFile(file, JSON.stringify(pod));
    return kubectl(['create', '--dry-run=server', '-f', file]);
  };
  for (const { metadata, spec } of items) await tried(metadata.name, spec.template);
  const [template] = items.map(({ spec }) => spec.template);
  if (template === undefined) throw new Error('no pods');
  const [container, ...others] = template.spec.containers;
  const root = { ...container, securityContext: { allowPrivilegeEscalation: true } };
  const refusal = await tried('root', {
    ...template,
    spec: { ...template.spec, containers: [root, ...others] },
  }).then(() => 'taken', String);
  if (!refusal.includes('violates PodSecurity "restricted'))
    throw new Error(`a pod that may become root: ${refusal}`);
  return `${items.length} kinds of pods`;
}

async function startApiServer(scope: Scope, options: Options): Promise<Kubectl> {
  const { env } = options;
  const program = await apiServer(options);
  const [etcdPort, peerPort, port] = [await lastingPort(), await lastingPort(), await lastingPort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  await serve(scope, 'etcd', {}, [
    ...['--data-dir', 'data', '--unsafe-no-fsync', '--log-level', 'error'],
    ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `default=${peerUrl}`],
  ]);
  const token = randomBytes(16).toString('hex');
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const files = { 'tokens.csv': `${token},admin,admin,system:masters\n`, 'accounts.pem': privateKey };
  const kept = await serve(scope, program, files, [
    ...['--etcd-servers', etcdUrl, '--bind-address', '127.0.0.1', '--secure-port', String(port)],
    ...['--cert-dir', 'certificates', '--token-auth-file', 'tokens.csv', '--authorization-mode', 'RBAC'],
    ...[
      '--service-account-issuer',
      'https://kubernetes.default.svc',
      '--service-cluster-ip-range',
      '10.0.0.0/24',
    ],
    ...['--service-account-key-file', 'accounts.pem', '--service-account-signing-key-file', 'accounts.pem'],
  ]);
  // The server is on loopback, with a self-signed certificate.
  const where = ['--server', `https://127.0.0.1:${port}`, '--token', token, '--insecure-skip-tls-verify'];
  const kubectl: Kubectl = (args, timeoutMs = 120_000) =>
    run('kubectl', [...where, ...args], { env: { ...env, KUBECONFIG: devNull }, timeoutMs });
  const ready = async () => {
    await kubectl(['get', '--raw', '/readyz'], 10_000);
  };
  await waitUntilServing('kube-apiserver', kept, ready, START_TIMEOUT_MS);
  return kubectl;
}

async function serve(
  scope: Scope,
  command: string,
  files: Readonly<Record<string, string>>,
  args: readonly string[],
) {
  const folder = newTemporaryFolder('kubernetes');
  const kept = startKept({
    ...{ folder, owner: null, copies: [], files, prepare: [] },
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    server: { command, args },
    ...{ stopSignal: 'SIGTERM', stopTimeoutMs: 20_000 },
  });
  scope.own(kept, (it) => it.stop());
  await kept.started;
  return kept;
}

/**
 * The module does not build as published: it names its staging modules as v0.0.0, and they are published under version
 * numbers.
 */
function apiServer(options: Options): Promise<string> {
  const { module, version } = KUBERNETES;
  return cached({ name: 'kube-apiserver', version }, options, async (work) => {
    const { env } = options;
    const theirs = await readFile(join(await moduleFolder(module, version, env), 'go.mod'), 'utf8');
    const [, go = ''] = /^go (\S+)$/m.exec(theirs) ?? [];
    const staging = [...theirs.matchAll(/^\t(k8s\.io\/[\w-]+) v0\.0\.0$/gm)].map(([, name = '']) => name);
    const lines = [
      ...['module giro-check', `go ${go}`, `require ${module} ${version}`],
      ...staging.map((name) => `replace ${name} => ${name} ${STAGING}`),
    ];
    await writeFile(join(work, 'go.mod'), `${lines.join('\n')}\n`);
    const args = ['build', '-C', work, '-mod=mod', '-trimpath', '-o', join(work, 'kube-apiserver')];
    await run('go', [...args, `${module}/cmd/kube-apiserver`], {
      env: { ...env, CGO_ENABLED: '0' },
      timeoutMs: BUILD_TIMEOUT_MS,
    });
  });
}
