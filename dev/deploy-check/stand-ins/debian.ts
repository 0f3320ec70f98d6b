import { BASE_IMAGE } from './base';
import type { StandIn } from './stand-in';

/** The base has the programs already. Each image adds only what Compose's command and paths expect. */
const nothing = () => Promise.resolve();

export const nginxStandIn: StandIn = {
  repository: 'nginx',
  madeOf: "Debian's nginx",
  prepare: nothing,
  dockerfile: `
FROM ${BASE_IMAGE}
RUN groupadd -g 101 -o nginx && useradd -u 101 -o -g nginx nginx
CMD ["nginx", "-g", "daemon off;"]
`,
};

const watching = (
  name: string,
  program: string,
  options: readonly string[],
): Omit<StandIn, 'repository'> => ({
  madeOf: `Debian's ${program}`,
  prepare: nothing,
  dockerfile: `
FROM ${BASE_IMAGE}
RUN mkdir -p /${name} && chown 65534:65534 /${name}
USER 65534
VOLUME /${name}
WORKDIR /${name}
ENTRYPOINT ["${program}"]
CMD ${JSON.stringify(options)}
`,
});

export const prometheusStandIn: StandIn = {
  repository: 'prom/prometheus',
  ...watching('prometheus', 'prometheus', [
    '--config.file=/etc/prometheus/prometheus.yml',
    '--storage.tsdb.path=/prometheus',
  ]),
};

export const alertmanagerStandIn: StandIn = {
  repository: 'prom/alertmanager',
  ...watching('alertmanager', 'prometheus-alertmanager', []),
};
