import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { parse, stringify } from 'yaml';
import { ATTENTION_REASONS } from '../../src/domain/transfer/flags';
import { createMetrics } from '../../src/telemetry/metrics/metrics';

const ROOT = join(__dirname, '../..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
}
interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly {
    readonly expr: string;
    readonly instant?: boolean;
    readonly range?: boolean;
  }[];
  readonly fieldConfig?: { readonly defaults: { readonly min?: number } };
  readonly options?: { readonly graphMode?: string };
}

interface RecordedRule {
  readonly record: string;
  readonly expr: string;
  readonly labels: { readonly job?: string };
}

const allRules = ['alerts.yml', 'expected.yml'].flatMap((file) =>
  (parse(text(`ops/prometheus/${file}`)) as { groups: { rules: (Rule | RecordedRule)[] }[] }).groups.flatMap(
    (group) => group.rules,
  ),
);
const rules = allRules.filter((rule) => 'alert' in rule);
const recorded = allRules.filter((rule) => 'record' in rule);
const panels = (JSON.parse(text('ops/grafana/giro.json')) as { panels: Panel[] }).panels;
const alertExpressions = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...recorded
    .filter(({ expr }) => !expr.startsWith('vector('))
    .map(({ record, expr }): [string, string] => [record, expr]),
];
const panelExpressions = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }): [string, string] => [title, expr]),
);

interface Described {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** Of the SDK's exporter (test/ops/served.server.test.ts proves that a worker serves them), and Prometheus's own. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  up: [],
  temporal_worker_task_slots_available: ['worker_type'],
  temporal_workflow_task_schedule_to_start_latency_seconds_bucket: [],
  temporal_workflow_task_execution_failed_total: ['workflow_type', 'failure_reason'],
  temporal_workflow_task_queue_poll_succeed_total: [],
  temporal_workflow_failed_total: ['workflow_type'],
  temporal_sticky_cache_size: [],
};

/** Names as a scrape has them, each with its labels. */
function known(): Map<string, ReadonlySet<string>> {
  const defaults = new Registry();
  collectDefaultMetrics({ register: defaults });
  const names = new Map<string, ReadonlySet<string>>(
    Object.entries(OTHERS).map(([name, labels]) => [name, new Set(labels)]),
  );
  for (const registry of [createMetrics().registry, defaults]) {
    for (const { name, type, labelNames } of registry.getMetricsAsArray() as unknown as Described[]) {
      const served = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
      for (const each of served) names.set(each, new Set(labelNames));
    }
  }
  // `giro:transfers_flagged:now` is `giro_transfers_flagged` of all workers, and `:last` that, remembered.
  for (const { record } of recorded) {
    names.set(record, names.get(record.replace(/^giro:(.*):(?:now|last)$/, 'giro_$1')) ?? new Set());
  }
  return names;
}

const NAME = /\b(?:up|giro:[a-z_]+:[a-z]+|(?:giro|temporal|nodejs|process)_[a-z0-9_]+)\b/g;
/** Of the scrape, and of every histogram. */
const LABELS_OF_ALL = ['job', 'instance', 'le'];

const names = known();

test.each([...alertExpressions, ...panelExpressions])('%s asks for what is measured: %s', (_, expr) => {
  const bare = expr.replaceAll(/"[^"]*"/g, '""');
  const asked = bare.match(NAME) ?? [];
  expect(asked.length).toBeGreaterThan(0);
  const unknown = asked.filter((name) => !names.has(name));
  expect(unknown).toEqual([]);
  const labels = new Set([...LABELS_OF_ALL, ...asked.flatMap((name) => [...(names.get(name) ?? [])])]);
  const used = [
    ...[...bare.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) =>
      [...inner.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    ),
    ...[...bare.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, inner = '']) =>
      inner.split(',').map((label) => label.trim()),
    ),
  ].filter((label) => label !== '');
  expect(used.filter((label) => !labels.has(label))).toEqual([]);
});

test('statistics of the journal, which every worker shows, are never summed over the workers', () => {
  const shared = createMetrics().journal;
  const sharedNames = Object.values(shared).map((gauge) => (gauge as unknown as Described).name);
  for (const [, expr] of [...alertExpressions, ...panelExpressions]) {
    for (const name of sharedNames.filter((each) => new RegExp(`\\b${each}\\b`).test(expr))) {
      expect(expr).toMatch(
        new RegExp(
          `(?:(?:max|count)(?: by \\([a-z_, ]+\\))? ?|absent|absent_over_time)\\(\\s*(?:last_over_time\\()?${name}\\b`,
        ),
      );
    }
  }
});

/** The last value of a range is that of before an outage: a panel would show it, and a young age, for hours. */
test('a panel with one number asks for it now, and shows none while the journal does not answer', () => {
  const numbers = panels.filter(({ type }) => type === 'stat');
  expect(numbers.length).toBeGreaterThan(3);
  for (const { title, targets = [], options } of numbers) {
    expect([title, options?.graphMode]).toEqual([title, 'none']);
    for (const { instant, range } of targets) expect([title, instant, range]).toEqual([title, true, false]);
  }
});

test('what may be below zero is not cut at zero', () => {
  const cut = panels.filter(
    ({ targets = [], fieldConfig }) =>
      fieldConfig?.defaults.min === 0 && targets.some(({ expr }) => /- time\(\)/.test(expr)),
  );
  expect(cut.map(({ title }) => title)).toEqual([]);
});

test.each(ATTENTION_REASONS)('a transfer that is flagged %s raises one alert', (reason) => {
  const told = rules.filter(({ expr }) => {
    const [, reasons = ''] = /giro:transfers_flagged:last\{reason=~?"([A-Z_|]+)"\}/.exec(expr) ?? [];
    return reasons.split('|').includes(reason);
  });
  expect(told).toHaveLength(1);
});

test.each(rules)('$alert says how urgent it is, what it means, and where to read on', (rule) => {
  expect(['critical', 'warning']).toContain(rule.labels.severity);
  expect(rule.annotations.summary).not.toBe('');
  expect(rule.annotations.description).toMatch(/\.$/);
  expect(existsSync(join(ROOT, rule.annotations.runbook))).toBe(true);
});

test('alerts have names of their own, panels have titles', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert } of rules) expect(alert).toMatch(/^Giro[A-Z][A-Za-z]+$/);
  for (const { title } of panels) expect(title).not.toBe('');
});

test('as many processes are expected as Compose starts', () => {
  const expected = recorded.filter(({ record }) => record === 'giro:processes:expected');
  const { services } = parse(text('docker-compose.yml')) as {
    services: Record<string, { deploy?: { replicas: number } }>;
  };
  const started = (service: string) => services[service]?.deploy?.replicas ?? 1;
  expect(expected.map(({ expr, labels }) => [labels.job, expr])).toEqual([
    ['giro-worker', `vector(${started('worker')})`],
    ['giro-receiver', `vector(${started('receiver')})`],
  ]);
});

interface RuleTest {
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
}

test('each alert that calls somebody at once is seen to fire', () => {
  const cases = ['alerts.test.yml', 'alerts-of-days.test.yml'].flatMap(
    (file) => (parse(text(`ops/prometheus/${file}`)) as { tests: RuleTest[] }).tests,
  );
  const fired = new Set(
    cases.flatMap((each) =>
      each.alert_rule_test.filter((at) => at.exp_alerts.length > 0).map((at) => at.alertname),
    ),
  );
  const critical = rules.filter(({ labels }) => labels.severity === 'critical').map(({ alert }) => alert);
  expect(critical.filter((alert) => !fired.has(alert))).toEqual([]);
});

test('docs/metrics.md names each alert with its urgency', () => {
  const listed = [...text('docs/metrics.md').matchAll(/^\| `(Giro[A-Za-z]+)`\s*\| (\w+)/gm)].map(
    ([, alert, severity]) => [alert, severity],
  );
  expect(listed).toEqual(rules.map(({ alert, labels }) => [alert, labels.severity]));
});

/** Named by PROMTOOL, or on the PATH: part of Prometheus. */
const promtool = process.env['PROMTOOL'] ?? 'promtool';
const found = spawnSync(promtool, ['--version']).status === 0;

(found ? describe : describe.skip)('promtool', () => {
  const run = (...args: string[]): { status: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: ROOT, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  test.each([
    ['check', 'rules', 'ops/prometheus/alerts.yml'],
    ['check', 'rules', 'ops/prometheus/expected.yml'],
    ['check', 'config', 'ops/prometheus/prometheus.yml'],
    ['test', 'rules', 'ops/prometheus/alerts.test.yml'],
    ['test', 'rules', 'ops/prometheus/alerts-of-days.test.yml'],
  ])('%s %s %s', (...args) => {
    expect(run(...args)).toMatchObject({ status: 0 });
  });

  test('the expressions of the dashboard can be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'giro-panels-'));
    try {
      const file = join(folder, 'panels.yml');
      const asRules = panelExpressions.map(([, expr], index) => ({
        record: `panel:${index}`,
        expr: expr.replaceAll('$__rate_interval', '1m'),
      }));
      writeFileSync(file, stringify({ groups: [{ name: 'panels', rules: asRules }] }));
      expect(run('check', 'rules', file)).toMatchObject({ status: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
