import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { packageRoot } from '../../dev/package-root';
import { VARIABLES } from '../../src/config/variables';
import { processIo } from '../../src/commands/support/io';
import { giroProgram } from '../../src/starter';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Labels } | Labels;
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly podSelector?: { readonly matchLabels?: Labels };
    readonly ports?: readonly { readonly targetPort?: string }[];
    readonly scaleTargetRef?: { readonly name: string };
    readonly triggers?: readonly { readonly metadata: Readonly<Record<string, string>> }[];
  };
}
type Labels = Readonly<Record<string, string>>;

interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: unknown;
  readonly containers: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
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
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
const kustomization = parse(readFileSync(join(FOLDER, 'kustomization.yaml'), 'utf8')) as {
  readonly resources: readonly string[];
};
const manifests = kustomization.resources.flatMap((file) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  }),
);
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const pods = manifests.flatMap(({ kind, metadata, spec }) =>
  spec?.template === undefined ? [] : [[`${kind} ${metadata.name}`, spec.template] as const],
);
const settings = new Map(ofKind('ConfigMap').map(({ metadata, data = {} }) => [metadata.name, data]));

it('the kustomization has every file', () => {
  expect([...kustomization.resources, 'kustomization.yaml'].sort()).toEqual([...files].sort());
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

it.each(pods)('%s: a command of giro, and only its variables', (_name, { spec }) => {
  const program = giroProgram({ io: processIo(), end: () => undefined });
  for (const { args, env = [], envFrom = [] } of spec.containers) {
    expect(program.commands.map((command) => command.name())).toContain(args[0]);
    const maps = envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? []);
    for (const name of maps) expect([...settings.keys()]).toContain(name);
    const names = [
      ...env.map(({ name }) => name),
      ...maps.flatMap((name) => Object.keys(settings.get(name)!)),
    ];
    expect(names.filter((name) => !(name in VARIABLES))).toEqual([]);
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

it.each(ofKind('Deployment').map((one) => [one.metadata.name, one] as const))(
  '%s: probed where it listens',
  (_name, { spec }) => {
    for (const { livenessProbe, readinessProbe, ports = [], env = [] } of spec!.template!.spec.containers) {
      for (const probe of [livenessProbe, readinessProbe]) {
        const port = ports.find(({ name }) => name === probe?.httpGet.port);
        expect(env.map(({ value }) => value)).toContain(`0.0.0.0:${String(port?.containerPort)}`);
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

it('what may run twice may be disrupted one at a time', () => {
  const guarded = ofKind('PodDisruptionBudget').map(({ metadata }) => metadata.name);
  expect(guarded.sort()).toEqual(['giro-receiver', 'giro-worker']);
});

it('workers follow the queue that they serve', () => {
  const [scaled] = ofKind('ScaledObject');
  expect(ofKind('Deployment').map(({ metadata }) => metadata.name)).toContain(
    scaled?.spec?.scaleTargetRef?.name,
  );
  const data = settings.get('giro')!;
  expect(scaled?.spec?.triggers?.[0]?.metadata).toMatchObject({
    endpoint: data['TEMPORAL_ADDRESS'],
    namespace: data['TEMPORAL_NAMESPACE'],
    taskQueue: data['GIRO_TASK_QUEUE'],
    queueTypes: 'workflow,activity',
  });
});
