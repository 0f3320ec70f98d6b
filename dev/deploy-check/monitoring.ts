import { until } from '../giro-environment';
import type { Project } from './compose';

/** An alert fires after the processes have noticed the outage, a scrape, an evaluation and its `for`. */
const FIRE_MS = 480_000;
const CLEAR_MS = 180_000;

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
}
interface Arrived {
  readonly labels: Readonly<Record<string, string>>;
}

/** Prometheus and Alertmanager of the project. */
export interface Monitoring {
  /** Waits until these alerts fire in Prometheus and have arrived at Alertmanager. */
  fire(...alerts: readonly string[]): Promise<string>;
  /** Waits until Prometheus no longer has them pending or firing. */
  clear(...alerts: readonly string[]): Promise<string>;
  /** Waits until every target of these jobs answers, as many as expected. */
  scrapes(expected: Readonly<Record<string, number>>): Promise<string>;
}

export function monitoringOf(project: Project): Monitoring {
  const json = async (service: string, port: number, path: string): Promise<unknown> =>
    (await fetch(`http://${await project.address(service, port)}${path}`)).json();
  const alerts = async () =>
    ((await json('prometheus', 9090, '/api/v1/alerts')) as { data: { alerts: readonly Alert[] } }).data
      .alerts;
  const named = ({ labels }: Pick<Alert, 'labels'>) => labels['alertname'] ?? '';
  return {
    fire: async (...wanted) => {
      const startedMs = Date.now();
      await until(
        async () => (await alerts()).filter(({ state }) => state === 'firing').map(named),
        (firing) => wanted.every((name) => firing.includes(name)),
        FIRE_MS,
      );
      await until(
        async () => ((await json('alertmanager', 9093, '/api/v2/alerts')) as readonly Arrived[]).map(named),
        (arrived) => wanted.every((name) => arrived.includes(name)),
        FIRE_MS,
      );
      return `${wanted.join(', ')} after ${Math.round((Date.now() - startedMs) / 1_000)} s`;
    },
    clear: async (...wanted) => {
      await until(
        async () => (await alerts()).map(named),
        (active) => wanted.every((name) => !active.includes(name)),
        CLEAR_MS,
      );
      return wanted.join(', ');
    },
    scrapes: async (expected) => {
      await until(
        async () => {
          const { data } = (await json('prometheus', 9090, '/api/v1/query?query=sum+by+(job)(up)')) as {
            data: { result: readonly { metric: { job: string }; value: readonly [number, string] }[] };
          };
          return Object.fromEntries(data.result.map(({ metric, value }) => [metric.job, Number(value[1])]));
        },
        (up) => Object.entries(expected).every(([job, count]) => up[job] === count),
        CLEAR_MS,
      );
      return Object.entries(expected)
        .map(([job, count]) => `${count} ${job}`)
        .join(', ');
    },
  };
}
