import type { Project } from './compose';
import type { ContainerEngine } from './engine';

/** Longer than a container on the same machine takes to answer. */
const TIMEOUT_MS = 3_000;

/** Whether the receiver, which faces the internet, may reach `service` at `port`. */
const EXPECTED = [
  { service: 'postgres', port: 5432, reached: true },
  { service: 'temporal', port: 7233, reached: false },
  { service: 'sandbox-bank', port: 8443, reached: false },
  { service: 'codec-server', port: 8088, reached: false },
];

/**
 * Tries to connect from the receiver's container to each service, by its name and by every address of its container.
 */
export async function receiverReaches(project: Project, engine: ContainerEngine): Promise<string> {
  const [receiver = ''] = await project.containers('receiver');
  const wrong: string[] = [];
  for (const { service, port, reached } of EXPECTED) {
    const hosts = [service, ...(await addressesOf(project, engine, service))];
    const answered = JSON.parse(
      await project.exec(receiver, ['node', '-e', script(port), ...hosts]),
    ) as readonly string[];
    if (reached !== answered.includes(service)) wrong.push(`${service} by its name`);
    if (!reached)
      wrong.push(...answered.filter((host) => host !== service).map((host) => `${service} at ${host}`));
  }
  if (wrong.length > 0) throw new Error(`not as it should be: ${wrong.join(', ')}`);
  return EXPECTED.map(({ service, reached }) => `${service} ${reached ? 'reached' : 'not'}`).join(', ');
}

async function addressesOf(
  project: Project,
  { docker }: ContainerEngine,
  service: string,
): Promise<readonly string[]> {
  const [container = ''] = await project.containers(service);
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
  const addresses = (await docker(['inspect', '--format', format, container])).trim().split(' ');
  if (addresses.some((address) => address === '')) throw new Error(`${service} has no address`);
  return addresses;
}

/** A script that prints which hosts among its arguments accept a connection, as a JSON list. */
const script = (port: number): string => `
  const { connect } = require('node:net');
  const tried = process.argv.slice(1).map((host) => new Promise((done) => {
    const socket = connect({ host, port: ${port}, timeout: ${TIMEOUT_MS} });
    const end = (answer) => { socket.destroy(); done(answer); };
    socket.once('connect', () => end([host])).once('error', () => end([])).once('timeout', () => end([]));
  }));
  Promise.all(tried).then((found) => console.log(JSON.stringify(found.flat())));
`;
