import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../dev/package-root';

const text = (path: string): string => readFileSync(join(packageRoot, 'ops', path), 'utf8');

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}
interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const rules = ['prometheus/expected.yml', 'prometheus/alerts.yml'].flatMap((file) =>
  (parse(text(file)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
);
const named = (key: 'alert' | 'record') =>
  rules.flatMap(({ expr, ...rule }) => {
    const name = rule[key];
    return name === undefined ? [] : [{ name, expr }];
  });

export const alertRules = named('alert');
export const recordingRules = named('record');

/** Title and expression of each target of each panel of the dashboard. */
export const panelTargets = (JSON.parse(text('grafana/giro.json')) as { panels: Panel[] }).panels.flatMap(
  ({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr]),
);

/** Names of series with their conditions, as written in an expression. */
const SELECTOR = /\b(?:up|giro:[a-z_]+:[a-z]+|(?:giro|temporal|nodejs|process)_[a-z0-9_]+)\b(?:\{[^}]*\})?/g;

export const selectorsOf = (expr: string): readonly string[] => [...new Set(expr.match(SELECTOR) ?? [])];
