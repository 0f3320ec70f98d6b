import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '../../src/telemetry/metrics/metrics';

const page = readFileSync(join(__dirname, '../../docs/metrics.md'), 'utf8');

interface Described {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** prom-client keeps it, its types do not say so. */
  readonly labelNames: readonly string[];
}

const registered = (): Described[] => createMetrics().registry.getMetricsAsArray() as unknown as Described[];

test('docs/metrics.md lists each metric with its type, labels and meaning', () => {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `giro_'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const expected = registered().map(({ name, type, help, labelNames }) => [
    `\`${name}\``,
    type,
    labelNames.length === 0 ? '–' : labelNames.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  expect(rows).toEqual(expected);
});

test('names follow the conventions of Prometheus', () => {
  for (const { name, type } of registered()) {
    expect(name).toMatch(/^giro_[a-z]+(?:_[a-z]+)*$/);
    if (type === 'counter') expect(name).toMatch(/_total$/);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    if (type === 'gauge') expect(name).not.toMatch(/_total$/);
  }
});

test('two processes in one do not count into each other', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.transfers.annulments.inc();
  expect(await one.registry.metrics()).toContain('giro_annulments_total 1');
  expect(await other.registry.metrics()).toContain('giro_annulments_total 0');
});
