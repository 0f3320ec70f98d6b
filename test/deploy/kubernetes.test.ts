import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { packageRoot } from '../../dev/package-root';
import { VARIABLES } from '../../src/config/variables';
import { processIo } from '../../src/program/io';
import { giroProgram } from '../../src/starter';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas?: number;
    readonly strategy?: unknown;
    readonly selector?: { readonly matchLabels?: Labels } | Labels;
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly podSelector?: { readonly matchLabels?: Labels };
    readonly ports?: readonly { readonly targetPort?: string }[];
    readonly ingress?: readonly {
      readonly from: readonly {
        readonly namespaceSelector?: { readonly matchLabels?: Labels };
        readonly podSelector?: { readonly matchLabels?: Labels };
      }[];
      readonly ports: readonly { readonly port: number | string }[];
    }[];
    readonly scaleTargetRef?: { readonly name: string };
    readonly triggers?: readonly { readonly metadata: Readonly<Record<string, string>> }[];
  };
}
type Labels = Readonly<Record<string, string>>;

interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: unknown;
  readonly containers: readonly Container[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly secret?: { readonly defaultMode?: number };
    readonly configMap?: {
      readonly name: string;
      readonly optional?: boolean;
      readonly defaultMode?: number;
    };
  }[];
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext?: unknown;
  readonly resources?: unknown;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

const FOLDER = join(packageRoot, 'ops', 'kubernetes');
const OVERLAYS = ['production', 'test'];
const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);

interface Kustomization {
  readonly resources: readonly string[];
  readonly labels?: readonly { readonly pairs: Labels }[];
  readonly images?: readonly { readonly name: string }[];
  readonly patches?: readonly {
    readonly target: { readonly kind: string; readonly name?: string };
    readonly patch: string;
  }[];
}
const kustomizationOf = (folder: string) =>
  parse(textOf(join(folder, 'kustomization.yaml'))) as Kustomization;

/** The files of a kustomization and of those that it is made of. */
const filesOf = (folder: string): string[] =>
  kustomizationOf(folder).resources.flatMap((resource) =>
    resource.endsWith('.yaml') ? [join(folder, resource)] : filesOf(join(folder, resource)),
  );

const manifests = filesOf('base').flatMap((file) =>
  parseAllDocuments(textOf(file)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  }),
);
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const pods = manifests.flatMap(({ kind, metadata, spec }) =>
  spec?.template === undefined ? [] : [[`${kind} ${metadata.name}`, spec.template] as const],
);
/** What the overlay for production adds to each ConfigMap. */
const added = (name: string): Record<string, string> =>
  Object.fromEntries(
    (kustomizationOf('production').patches ?? [])
      .filter(({ target }) => target.kind === 'ConfigMap' && target.name?.replace('$', '') === name)
      .flatMap(({ patch }) => parse(patch) as { path: string; value: string }[])
      .map(({ path, value }) => [path.replace('/data/', ''), value]),
  );
const settings = new Map(
  ofKind('ConfigMap').map(({ metadata, data = {} }) => [metadata.name, { ...data, ...added(metadata.name) }]),
);

it('every file is part of the base or an overlay', () => {
  const folders = ['base', 'base/common', 'base/setup', 'base/services', ...OVERLAYS];
  const kustomizations = folders.map((folder) => join(folder, 'kustomization.yaml'));
  expect([...filesOf('base'), ...kustomizations].sort()).toEqual(files.sort());
});

it.each(OVERLAYS)('%s is one file upon the base, and names the image', (overlay) => {
  expect(kustomizationOf(overlay)).toMatchObject({ resources: ['../base'], images: [{ name: 'giro' }] });
  expect(files.filter((file) => file.startsWith(overlay))).toEqual([join(overlay, 'kustomization.yaml')]);
});

it('each overlay has a place for every address, namespace and name that docs/deployment.md asks for', () => {
  const places = (overlay: string) =>
    (kustomizationOf(overlay).patches ?? [])
      .filter(({ target }) => ['ConfigMap', 'NetworkPolicy'].includes(target.kind))
      .flatMap(({ target, patch }) =>
        (parse(patch) as { path: string }[]).map(({ path }) => `${target.name} ${path}`),
      )
      .sort();
  expect(places('production')).toHaveLength(14);
  expect(places('test')).toEqual(places('production'));
});

it('setup is told from the services by a label', () => {
  const kindsIn = (folder: string) => filesOf(folder).map((file) => /^kind: (\w+)/m.exec(textOf(file))?.[1]);
  expect(kindsIn('base/setup')).toEqual(['Job']);
  expect(kindsIn('base/services')).not.toContain('Job');
  for (const step of ['common', 'setup', 'services'])
    expect(kustomizationOf(`base/${step}`).labels).toEqual([{ pairs: { 'giro/step': step } }]);
});

it('old workers are gone before new ones start', () => {
  const worker = ofKind('Deployment').find(({ metadata }) => metadata.name === 'giro-worker');
  expect(worker?.spec?.strategy).toEqual({ type: 'Recreate' });
});

describe('what docs/deployment.md tells to make beforehand', () => {
  const page = readFileSync(join(packageRoot, 'docs/deployment.md'), 'utf8');

  it('every secret, with every key that is asked of it', () => {
    const made = new Map(
      [...page.matchAll(/create secret generic (\S+) ((?:.|\\\n)*)/g)].map(([, name = '', rest = '']) => [
        name,
        [...rest.matchAll(/--from-(?:literal|file)=([\w.-]+)/g)].map(([, key]) => key),
      ]),
    );
    const listed = [...textOf('base/common/settings.yaml').matchAll(/^# {3}(giro-[\w-]+) +(.*)$/gm)];
    expect([...made.keys()].sort()).toEqual(listed.map(([, name]) => name).sort());
    for (const [, name = '', keys = ''] of listed)
      for (const key of made.get(name) ?? []) expect(keys).toContain(key);
    const text = files.map(textOf).join('\n');
    const used = [...text.matchAll(/secret(?:Ref: \{ name|Name): ([\w-]+)/g)].map(([, name]) => name);
    expect([...made.keys()].sort()).toEqual([...new Set(used)].sort());
  });

  it('the namespace of Temporal, and the logins that Compose has too', () => {
    expect(page).toContain(`namespace create -n ${settings.get('giro')?.['TEMPORAL_NAMESPACE'] ?? 'none'} `);
    const script = readFileSync(join(packageRoot, 'ops/compose/make-secrets.sh'), 'utf8');
    const statements = (text: string) =>
      (text.match(/^ *(?:create|grant) (?!role temporal).*;$/gm) ?? []).map((line) =>
        line.trim().replace(/password '.*'/, "password '…'"),
      );
    expect(statements(page)).toEqual(statements(script));
    expect(statements(page)).toHaveLength(10);
  });
});

/** Rendered by the real thing where it is installed. */
const kubectl = spawnSync('kubectl', ['kustomize', '--help']).status === 0;
const rendered = (overlay: string) =>
  spawnSync('kubectl', ['kustomize', join(FOLDER, overlay)], { encoding: 'utf8' });

(kubectl ? describe : describe.skip)('kubectl kustomize', () => {
  it('production: everything, the image by digest, addresses of the overlay', () => {
    const { stdout, stderr } = rendered('production');
    expect(stderr).toBe('');
    const found = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
    expect(found.map(({ metadata }) => metadata.name).sort()).toEqual(
      manifests.map(({ metadata }) => metadata.name).sort(),
    );
    const images = [...stdout.matchAll(/^ +image: (.*)$/gm)].map(([, image]) => image);
    expect(images).toHaveLength(4);
    for (const image of images) expect(image).toMatch(/^registry\.example\/giro@sha256:[0-9a-f]{64}$/);
    const scaled = found.find(({ kind }) => kind === 'ScaledObject');
    expect(scaled?.spec?.triggers?.[0]?.metadata).toMatchObject({
      endpoint: settings.get('giro')!['TEMPORAL_ADDRESS'],
      namespace: settings.get('giro')!['TEMPORAL_NAMESPACE'],
      taskQueue: settings.get('giro')!['GIRO_TASK_QUEUE'],
    });
  });

  it('test: one process of each kind, nothing that needs KEDA', () => {
    const { stdout, stderr } = rendered('test');
    expect(stderr).toBe('');
    const found = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
    const kinds = found.map(({ kind }) => kind);
    expect(kinds).not.toContain('ScaledObject');
    expect(kinds).not.toContain('PodDisruptionBudget');
    const deployments = found.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ spec }) => spec?.replicas)).toEqual([1, 1, 1]);
  });
});

/** Schemas of Kubernetes as a Python program (`pip install kubernetes-validate`), where it is installed. */
const KUBERNETES_VERSIONS = ['1.29', '1.36'];
const validate = process.env['KUBERNETES_VALIDATE_PATH'] ?? 'kubernetes-validate';
const validates = kubectl && spawnSync(validate, ['--help']).status === 0;
(validates ? describe : describe.skip).each(KUBERNETES_VERSIONS)('kubernetes-validate, of %s', (version) => {
  it.each(OVERLAYS)('%s', (overlay) => {
    const folder = mkdtempSync(join(tmpdir(), 'giro-manifests-'));
    try {
      const file = join(folder, 'all.yaml');
      // Kinds of KEDA's are not among the schemas.
      const known = rendered(overlay)
        .stdout.split(/^---$/m)
        .filter((document) => !document.includes('keda.sh/'));
      writeFileSync(file, known.join('---\n'));
      const { status, stdout, stderr } = spawnSync(validate, ['--strict', '-k', version, file], {
        encoding: 'utf8',
      });
      expect(stdout + stderr).not.toMatch(/ERROR|FAIL/);
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it.each(pods)('%s: hardened, without a token of the cluster, with bounded memory', (_name, { spec }) => {
  expect(spec.automountServiceAccountToken).toBe(false);
  expect(spec.securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: 1000,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  for (const container of spec.containers) {
    expect(container.image).toBe('giro');
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  }
});

it.each(pods)('%s: reads its secrets by its group, and others read none', (_name, { spec }) => {
  expect(spec.securityContext).toMatchObject({ fsGroup: 1000 });
  // `0440`: octal for Kubernetes, which reads YAML 1.1, and decimal for who reads 1.2, as here.
  for (const { secret, configMap } of spec.volumes ?? [])
    expect((secret ?? configMap)?.defaultMode).toBe(440);
});

it.each(pods)('%s: a command of giro, and only its variables', (_name, { spec }) => {
  const program = giroProgram({ io: processIo(), end: () => undefined });
  for (const { args, env = [], envFrom = [] } of spec.containers) {
    expect(program.commands.map((command) => command.name())).toContain(args[0]);
    const maps = envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []);
    for (const name of maps) expect([...settings.keys()]).toContain(name);
    const known = VARIABLES.map(({ name }) => name);
    const names = [
      ...env.map(({ name }) => name),
      ...maps.flatMap((name) => Object.keys(settings.get(name)!)),
    ];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  }
});

it.each(pods)('%s: files that settings name are on a volume', (_name, { spec }) => {
  for (const { env = [], envFrom = [], volumeMounts = [] } of spec.containers) {
    const maps = envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []);
    const values = [
      ...env.map(({ value }) => value),
      ...maps.flatMap((name) => Object.values(settings.get(name)!)),
    ];
    const files = values.filter((value) => value.startsWith('/'));
    for (const file of files) {
      expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain(file.slice(0, file.lastIndexOf('/')));
    }
    for (const { name } of volumeMounts) expect(spec.volumes?.map((volume) => volume.name)).toContain(name);
  }
});

it('keys of signers have a place in workers, empty until their ConfigMap is made', () => {
  const [, worker] = pods.find(([name]) => name.endsWith('giro-worker')) ?? [];
  const volume = worker?.spec.volumes?.find(({ name }) => name === 'signers');
  expect(volume?.configMap).toMatchObject({ name: 'giro-signers', optional: true });
  const mounts = worker?.spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
  expect(mounts).toContainEqual(expect.objectContaining({ name: 'signers', mountPath: '/signers' }));
  const page = readFileSync(join(packageRoot, 'docs', 'signatures.md'), 'utf8');
  for (const text of ['giro-signers', '/signers/order-signers.json', '/signers/deciders'])
    expect(page).toContain(text);
});

it.each(ofKind('Deployment').map((one) => [one.metadata.name, one] as const))(
  '%s: probed where it listens',
  (_name, { spec }) => {
    for (const container of spec!.template!.spec.containers) {
      const { livenessProbe, readinessProbe, ports = [] } = container;
      const values = [
        ...(container.env ?? []).map(({ value }) => value),
        ...(container.envFrom ?? []).flatMap(({ configMapRef }) =>
          Object.values(settings.get(configMapRef?.name ?? '') ?? {}),
        ),
      ];
      for (const probe of [livenessProbe, readinessProbe]) {
        const port = ports.find(({ name }) => name === probe?.httpGet.port);
        expect(values).toContain(`0.0.0.0:${String(port?.containerPort)}`);
        expect(['/healthz', '/readyz']).toContain(probe?.httpGet.path);
      }
      expect(livenessProbe?.httpGet.path).toBe('/healthz');
    }
  },
);

it('every selector finds pods', () => {
  const labels = pods.map(([, { metadata }]) => metadata.labels);
  const selectors = manifests.flatMap(({ kind, spec }) => {
    if (kind === 'Service') return [spec!.selector as Labels];
    if (kind === 'NetworkPolicy') return [spec!.podSelector?.matchLabels ?? {}];
    return spec?.selector === undefined ? [] : [(spec.selector as { matchLabels: Labels }).matchLabels];
  });
  expect(selectors.length).toBeGreaterThan(8);
  for (const selector of selectors) {
    expect(
      labels.filter((one) => Object.entries(selector).every(([key, value]) => one[key] === value)),
    ).not.toEqual([]);
  }
});

describe('who may come in', () => {
  const policies = ofKind('NetworkPolicy').flatMap(({ spec }) => spec?.ingress ?? []);

  it('a pod of a namespace, never a namespace as a whole', () => {
    expect(policies).toHaveLength(2);
    for (const { from } of policies)
      for (const peer of from) {
        expect(Object.keys(peer.namespaceSelector?.matchLabels ?? {})).toHaveLength(1);
        expect(Object.keys(peer.podSelector?.matchLabels ?? {})).toHaveLength(1);
      }
  });

  it('Prometheus to the metrics and to no delivery, the ingress to the deliveries and to no metrics', () => {
    const receiver = ofKind('Deployment').find(({ metadata }) => metadata.name === 'giro-receiver');
    const ports =
      receiver?.spec?.template?.spec.containers.flatMap((container) => container.ports ?? []) ?? [];
    const reaches = (namespace: string) =>
      policies
        .filter(({ from }) =>
          from.some(({ namespaceSelector }) =>
            Object.values(namespaceSelector?.matchLabels ?? {}).includes(namespace),
          ),
        )
        .flatMap(({ ports: open }) =>
          ports.filter(({ name, containerPort }) =>
            open.some(({ port }) => port === name || port === containerPort),
          ),
        )
        .map(({ containerPort }) => containerPort);
    expect({ monitoring: reaches('monitoring'), ingress: reaches('ingress') }).toEqual({
      ...{ monitoring: [9464], ingress: [8080] },
    });
  });
});

it('what may run twice may be disrupted one at a time', () => {
  const guarded = ofKind('PodDisruptionBudget').map(({ metadata }) => metadata.name);
  expect(guarded.sort()).toEqual(['giro-receiver', 'giro-worker']);
});

it('workers follow the queue that they serve', () => {
  const [scaled] = ofKind('ScaledObject');
  expect(ofKind('Deployment').map(({ metadata }) => metadata.name)).toContain(
    scaled?.spec?.scaleTargetRef?.name,
  );
  expect(scaled?.spec?.triggers?.[0]?.metadata).toMatchObject({ queueTypes: 'workflow,activity' });
});
