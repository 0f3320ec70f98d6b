import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../run';
import { BASE_IMAGE } from './base';
import { unpackNpmPackage } from '../../npm-package';
import type { StandIn } from './stand-in';

/** The versions in the image that the Dockerfile names. */
const NODE = '22.21.1';
const NPM = '10.9.4';
const PLATFORM = `linux-${process.arch}`;

export const nodeStandIn: StandIn = {
  repository: 'node',
  madeOf: `npm's node-${PLATFORM} ${NODE} and npm ${NPM}`,
  prepare: async (folder, { env }) => {
    await unpackNpmPackage(`node-${PLATFORM}@${NODE}`, join(folder, 'node'), env);
    await unpackNpmPackage(`npm@${NPM}`, join(folder, 'npm'), env);
    // npm in the image uses the registry of this machine.
    const registry = (await run('npm', ['config', 'get', 'registry'], { env })).trim();
    await writeFile(join(folder, 'npmrc'), `registry=${registry}\n`);
  },
  dockerfile: `
FROM ${BASE_IMAGE}
COPY node/bin/node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY npmrc /usr/local/etc/npmrc
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
  && chmod a+x /usr/local/bin/node /usr/local/lib/node_modules/npm/bin/npm-cli.js \\
  && groupadd -g 1000 node && useradd -u 1000 -g node -m node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
CMD ["node"]
`,
};
