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
    readonly triggers?: readonly {
      readonly metadata: Readonly<Record<string, string>>;
      readonly authenticationRef?: { readonly name: string };
    }[];
    readonly secretTargetRef?: readonly {
      readonly parameter: string;
      readonly name: string;
      readonly key: string;
    }[];
  };
}
type Labels = Readonly<Record<string, string>>;

interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
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
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
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
  expect(places('production')).toHaveLength(16);
  expect(places('test')).toEqual(places('production'));
});

it('a label distinguishes setup from the services', () => {
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

describe('what docs/deployment.md says to make beforehand', () => {
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
    const used = [
      ...[...text.matchAll(/secret(?:Ref: \{ name|Name): ([\w-]+)/g)].map(([, name]) => name),
      ...ofKind('TriggerAuthentication')
        .flatMap(({ spec }) => spec?.secretTargetRef ?? [])
        .map(({ name }) => name),
    ];
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

describe('what docs/deployment.md says to run later', () => {
  const page = readFileSync(join(packageRoot, 'docs/deployment.md'), 'utf8');
  const deployments = ofKind('Deployment').map(({ metadata }) => metadata.name);

  it('services are applied only after setup has completed', () => {
    expect(page).toMatch(
      / wait --for=condition=complete job\/giro-setup .* &&\n +kubectl apply .*services\)'\n/,
    );
  });

  it('every pod is replaced when only its settings have changed, which Kubernetes does not do', () => {
    const [, named = ''] = /rollout restart deployment (.*)/.exec(page) ?? [];
    expect(named.split(' ').sort()).toEqual([...deployments].sort());
  });

  /** KEDA would start its least number again, e.g. while a journal is restored and not yet marked as restored. */
  it('what scales by itself is paused before it is stopped', () => {
    const paused = [...page.matchAll(/annotate scaledobject (\S+) autoscaling\.keda\.sh\/paused=true/g)];
    expect(paused.map(([, name]) => name)).toEqual(
      ofKind('ScaledObject').map(({ metadata }) => metadata.name),
    );
    const stop = page.indexOf(' --replicas=0');
    expect(stop).toBeGreaterThan(paused[0]!.index);
  });
});

const { error: hasNoKubectl, stdout: kubectlVersion } = spawnSync('kubectl', ['version', '--client'], {
  encoding: 'utf8',
});
/** Rendered by the real thing where it is installed; before kustomize 5 it knows neither labels nor replacements. */
const kubectl = hasNoKubectl === undefined && /^Kustomize Version: v(?:[5-9]|\d\d)/m.test(kubectlVersion);
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
    expect(kinds).not.toContain('TriggerAuthentication');
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

/** Kubernetes would set GIRO_RECEIVER_PORT and fifteen more, and Giro warns of each GIRO_ variable that it does not know. */
it.each(pods)('%s: gets no variables of services', (_name, { spec }) => {
  expect(spec.enableServiceLinks).toBe(false);
});

it('a receiver listens on until the Service has left it out, and then has time to drain', () => {
  const [, receiver] = pods.find(([name]) => name.endsWith('giro-receiver')) ?? [];
  const [program, seconds] = receiver?.spec.containers[0]?.lifecycle?.preStop.exec.command ?? [];
  expect(program).toBe('sleep');
  expect(Number(seconds)).toBeGreaterThanOrEqual(5);
  expect(receiver!.spec.terminationGracePeriodSeconds! - Number(seconds)).toBeGreaterThanOrEqual(30);
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

it("only setup and worker have Temporal's settings, with TLS and its CA; no pod and no ConfigMap sets ALLOW_PLAINTEXT", () => {
  const ofTemporal = settings.get('giro-temporal') ?? {};
  expect(ofTemporal).toEqual({
    TEMPORAL_TLS: '1',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/secrets/authorities/temporal.pem',
  });
  const withTemporal = pods.filter(([, { spec }]) =>
    spec.containers.some(({ envFrom = [] }) =>
      envFrom.some(({ configMapRef }) => configMapRef?.name === 'giro-temporal'),
    ),
  );
  expect(withTemporal.map(([name]) => name.replace(/^.*giro-/, '')).sort()).toEqual(['setup', 'worker']);
  const allowed = pods.flatMap(([, { spec }]) =>
    spec.containers.flatMap(({ env = [] }) => env.filter(({ name }) => name === 'ALLOW_PLAINTEXT')),
  );
  expect([allowed, [...settings.values()].filter((map) => 'ALLOW_PLAINTEXT' in map)]).toEqual([[], []]);
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

describe('who may talk to whom', () => {
  const allows = (kind: string, pod: string) => {
    const own = pods.find(([name]) => name.endsWith(` ${pod}`))?.[1];
    if (own === undefined) throw new Error(`no pods of ${pod}`);
    const open = openings(kind, own.metadata.labels);
    return own.spec.containers
      .flatMap(({ ports = [] }) => ports)
      .reduce(
        (lines, { name, containerPort }) =>
          lines.map((line) =>
            line.endsWith(`:${name}`) ? line.replace(`:${name}`, `:${containerPort}`) : line,
          ),
        open,
      );
  };

  it('everything is closed that no other policy opens, both ways', () => {
    const [closed] = ofKind('NetworkPolicy').filter(({ metadata }) => metadata.name === 'giro-closed');
    expect(closed?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  const NAMES = ['namespace kube-system UDP:53', 'namespace kube-system TCP:53'];
  const JOURNAL = 'addresses 192.0.2.0/28 TCP:5432';
  const TEMPORAL = 'namespace temporal TCP:7233';
  const BANK = 'addresses 198.51.100.0/28 TCP:443';
  const INGRESS = 'pods controller of ingress';
  const PROMETHEUS = 'pods prometheus of monitoring';

  it.each([
    ['giro-setup', [JOURNAL, TEMPORAL], []],
    ['giro-worker', [JOURNAL, TEMPORAL, BANK], [`${PROMETHEUS} TCP:9464`]],
    ['giro-receiver', [JOURNAL], [`${INGRESS} TCP:8080`, `${PROMETHEUS} TCP:9464`]],
    ['giro-codec-server', [], [`${INGRESS} TCP:8088`]],
  ])('%s: out to %j, in from %j', (pod, out, into) => {
    expect(allows('egress', pod)).toEqual([...NAMES, ...out]);
    // Of the ports that the ingress may name, those that the pod has.
    expect(allows('ingress', pod).filter((line) => /:\d+$/.test(line))).toEqual(into);
  });

  it('the receiver reaches neither Temporal nor the bank', () => {
    const reached = allows('egress', 'giro-receiver');
    expect(reached.filter((line) => /:7233$|temporal/.test(line))).toEqual([]);
    expect(reached.filter((line) => /:443$|198\.51\.100/.test(line))).toEqual([]);
  });

  it.each([
    ['no peers', [{ ports: [{ protocol: 'TCP', port: 7233 }] }], ['anybody TCP:7233']],
    ['a peer of any kind', [{ to: [{}], ports: [{ port: 1 }] }], ['anybody TCP:1']],
    ['no ports', [{ to: [{ ipBlock: { cidr: '0.0.0.0/0' } }] }], ['addresses 0.0.0.0/0 any port']],
    [
      'all namespaces',
      [{ to: [{ namespaceSelector: {} }], ports: [{ port: 1 }] }],
      ['every namespace TCP:1'],
    ],
    [
      'all pods of a namespace',
      [{ to: [{ namespaceSelector: { matchLabels: { n: 'a' } }, podSelector: {} }], ports: [{ port: 1 }] }],
      ['every pod of a TCP:1'],
    ],
    [
      'a range of ports',
      [{ to: [{ podSelector: {} }], ports: [{ port: 1, endPort: 65_535 }] }],
      ['every pod of its own namespace TCP:1-65535'],
    ],
  ])('a rule that opens more is told: %s', (_what, rules, told) => {
    expect(rules.flatMap((rule) => openingsOf(rule))).toEqual(told);
  });
});

interface Peer {
  readonly ipBlock?: { readonly cidr: string };
  readonly namespaceSelector?: Selector;
  readonly podSelector?: Selector;
}
interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}
interface Rule {
  readonly to?: readonly Peer[];
  readonly from?: readonly Peer[];
  readonly ports?: readonly {
    readonly protocol?: string;
    readonly port: number | string;
    readonly endPort?: number;
  }[];
}

/** What all policies together open to a pod of these labels, in words, one for each peer and port. */
function openings(kind: string, labels: Labels): string[] {
  const policies = ofKind('NetworkPolicy') as unknown as readonly {
    readonly spec: { readonly podSelector: Selector; readonly policyTypes: readonly string[] } & Readonly<
      Record<string, readonly Rule[] | undefined>
    >;
  }[];
  return policies
    .filter(({ spec }) => selects(spec.podSelector, labels))
    .flatMap(({ spec }) => {
      const type = kind === 'egress' ? 'Egress' : 'Ingress';
      const rules = spec[kind] ?? [];
      // A rule of a type that its policy does not name would not count.
      if (rules.length > 0) expect(spec.policyTypes).toContain(type);
      return rules.flatMap(openingsOf);
    });
}

/** As the API means them: an empty selector selects everything, a rule without peers or ports leaves all of them open. */
function openingsOf({ to, from, ports }: Rule): string[] {
  const peers = to ?? from ?? [];
  const who = peers.length === 0 ? ['anybody'] : peers.map(peerName);
  const where =
    ports === undefined || ports.length === 0
      ? ['any port']
      : ports.map(
          ({ protocol = 'TCP', port, endPort }) =>
            `${protocol}:${port}${endPort === undefined ? '' : `-${endPort}`}`,
        );
  return who.flatMap((peer) => where.map((port) => `${peer} ${port}`));
}

function peerName({ ipBlock, namespaceSelector, podSelector }: Peer): string {
  if (ipBlock !== undefined) return `addresses ${ipBlock.cidr}`;
  if (namespaceSelector === undefined && podSelector === undefined) return 'anybody';
  const namespace = namespaceSelector && labelOf(namespaceSelector);
  if (podSelector === undefined) return namespace === '' ? 'every namespace' : `namespace ${namespace}`;
  const pod = labelOf(podSelector);
  const of = namespace === undefined ? 'its own namespace' : namespace === '' ? 'every namespace' : namespace;
  return `${pod === '' ? 'every pod' : `pods ${pod}`} of ${of}`;
}

/** Empty: it selects all. */
const labelOf = ({ matchLabels = {}, matchExpressions = [] }: Selector): string =>
  [...Object.values(matchLabels), ...matchExpressions.flatMap(({ values }) => values)].join('+');

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`${operator} is not known here`);
      return values.includes(labels[key] ?? '');
    })
  );
}

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

it('the scaler asks Temporal by TLS, and by the authority that workers trust', () => {
  const [scaled] = ofKind('ScaledObject');
  const [authentication] = ofKind('TriggerAuthentication');
  const [trigger] = scaled?.spec?.triggers ?? [];
  expect(trigger?.authenticationRef).toEqual({ name: authentication?.metadata.name });
  expect(trigger?.metadata).not.toHaveProperty('unsafeSsl');
  const parts = authentication?.spec?.secretTargetRef ?? [];
  // Cert and key together are what turns its TLS on.
  expect(parts.map(({ parameter }) => parameter)).toEqual(['ca', 'cert', 'key']);
  const trusted = settings.get('giro-temporal')?.['TEMPORAL_TLS_SERVER_CA_CERT_PATH'];
  expect(`/secrets/authorities/${parts[0]?.key}`).toBe(trusted);
  const volumes = ofKind('Deployment').flatMap(({ spec }) => spec?.template?.spec.volumes ?? []);
  expect(volumes).toContainEqual(
    expect.objectContaining({
      name: 'authorities',
      secret: expect.objectContaining({ secretName: parts[0]?.name }) as object,
    }),
  );
});
