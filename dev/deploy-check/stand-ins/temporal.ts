import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findTemporalCli } from '../../temporal-cli';
import { goProgram, moduleFolder } from '../go-program';
import type { GoProgram } from '../go-program';
import { BASE_IMAGE } from './base';
import type { StandIn } from './stand-in';

/** The versions that docker-compose.yml names. */
const SERVER = { module: 'go.temporal.io/server', version: 'v1.32.0' };
const TEMPORAL_SERVER: GoProgram = { ...SERVER, name: 'temporal-server', main: './cmd/server' };
const SQL_TOOL: GoProgram = { ...SERVER, name: 'temporal-sql-tool', main: './cmd/tools/sql' };
const UI: GoProgram = {
  ...{ name: 'temporal-ui-server', module: 'github.com/temporalio/ui-server/v2', version: 'v2.54.1' },
  main: './cmd/server',
};
const USER = 'RUN groupadd -g 1000 temporal && useradd -u 1000 -g temporal -m temporal';

export const temporalServerStandIn: StandIn = {
  repository: 'temporalio/server',
  madeOf: `the Go module ${SERVER.module} ${SERVER.version}`,
  prepare: async (folder, tools) => {
    await copyFile(await goProgram(TEMPORAL_SERVER, tools), join(folder, 'temporal-server'));
  },
  dockerfile: `
FROM ${BASE_IMAGE}
${USER}
COPY temporal-server /usr/local/bin/
RUN chmod 755 /usr/local/bin/temporal-server
USER temporal
# As the official image's start: the address that other servers are told, where all are listened on.
CMD ["sh", "-c", "export TEMPORAL_BROADCAST_ADDRESS=$(getent hosts $(hostname) | cut -d ' ' -f 1); exec temporal-server start"]
`,
};

export const temporalToolsStandIn: StandIn = {
  repository: 'temporalio/admin-tools',
  madeOf: `the sql tool of that module and the Temporal CLI`,
  prepare: async (folder, tools) => {
    await copyFile(await goProgram(SQL_TOOL, tools), join(folder, 'temporal-sql-tool'));
    await copyFile(await findTemporalCli(tools), join(folder, 'temporal'));
  },
  dockerfile: `
FROM ${BASE_IMAGE}
${USER}
COPY temporal-sql-tool temporal /usr/local/bin/
RUN chmod 755 /usr/local/bin/temporal*
USER temporal
`,
};

export const temporalUiStandIn: StandIn = {
  repository: 'temporalio/ui',
  madeOf: `the Go module ${UI.module} ${UI.version}`,
  prepare: async (folder, tools) => {
    await copyFile(await goProgram(UI, tools), join(folder, 'ui-server'));
    const files = await moduleFolder(UI.module, UI.version, tools.env);
    await copyFile(join(files, 'config', 'docker.yaml'), join(folder, 'docker.yaml'));
    await writeFile(join(folder, '.dockerignore'), '');
  },
  dockerfile: `
FROM ${BASE_IMAGE}
WORKDIR /home/ui-server
${USER}
COPY ui-server ./
COPY docker.yaml config/
RUN chmod 755 ui-server && chmod a+r config/docker.yaml
USER temporal
CMD ["./ui-server", "--env", "docker", "start"]
`,
};
