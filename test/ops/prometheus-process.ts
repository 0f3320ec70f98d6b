import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { lastingPort } from '../../dev/free-port';
import { newTemporaryFolder, startKept } from '../../dev/kept-process';
import { packageRoot } from '../../dev/package-root';
import type { Scope } from '../../dev/scope';
import { waitUntilServing } from '../../dev/wait-until-serving';

/** Also the longest that a scrape may take: on a busy machine one took over a second. */
const EVERY = '3s';

interface Config {
  readonly global: object;
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly { readonly job_name: string }[];
}
/** One series of an answer; an instant query has a single sample. */
interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

export interface PrometheusProcess {
  /** Samples of the last `seconds`, one a second. */
  range(expr: string, seconds: number): Promise<readonly Series[]>;
  /** Rules that could not be evaluated, with the reason. */
  brokenRules(): Promise<readonly string[]>;
}

/** A real Prometheus with our configuration and rules; its jobs have these targets instead of Compose's names. */
export async function startPrometheus(
  scope: Scope,
  program: string,
  targets: Readonly<Record<string, string>>,
): Promise<PrometheusProcess> {
  const text = (file: string) => readFileSync(join(packageRoot, 'ops/prometheus', file), 'utf8');
  const { rule_files, scrape_configs } = parse(text('prometheus.yml')) as Config;
  const config = {
    global: { scrape_interval: EVERY, evaluation_interval: EVERY },
    rule_files,
    scrape_configs: scrape_configs.map(({ job_name }) => ({
      job_name,
      static_configs: [{ targets: [targets[job_name]] }],
    })),
  };
  const address = `127.0.0.1:${await lastingPort()}`;
  const kept = startKept({
    ...{ folder: newTemporaryFolder('prometheus'), owner: null, copies: [], prepare: [] },
    files: {
      'prometheus.yml': stringify(config),
      ...Object.fromEntries(rule_files.map((file) => [file, text(file)])),
    },
    env: { PATH: process.env['PATH'] ?? '' },
    server: {
      command: program,
      args: [
        ...['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=${address}`],
        '--log.level=error',
      ],
    },
    ...{ stopSignal: 'SIGTERM', stopTimeoutMs: 10_000 },
  });
  scope.own(kept, (it) => it.stop());
  await kept.started;
  const get = async (path: string): Promise<unknown> => {
    const { status, data, error } = (await (await fetch(`http://${address}${path}`)).json()) as {
      readonly status: string;
      readonly data: unknown;
      readonly error?: string;
    };
    if (status !== 'success') throw new Error(error ?? status);
    return data;
  };
  await waitUntilServing(
    'Prometheus',
    kept,
    async () => {
      await get('/api/v1/rules');
    },
    60_000,
  );
  return {
    range: async (expr, seconds) => {
      const end = Date.now() / 1_000;
      const query = new URLSearchParams({
        ...{ query: expr, step: '1s' },
        ...{ start: String(end - seconds), end: String(end) },
      });
      return ((await get(`/api/v1/query_range?${query.toString()}`)) as { result: readonly Series[] }).result;
    },
    brokenRules: async () => {
      const { groups } = (await get('/api/v1/rules')) as {
        groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[];
      };
      return groups
        .flatMap(({ rules }) => rules)
        .filter(({ health }) => health !== 'ok')
        .map(({ name, health, lastError = '' }) => `${name}: ${health} ${lastError}`);
    },
  };
}
