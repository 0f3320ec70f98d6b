import { readFileSync, readdirSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { runModuleScript } from './module-script';

const MODULE = `import { foreignSettings, useOwnEnvironment } from './dev/bootstrap/environment.mjs';`;

async function whatRemains(env: Record<string, string>): Promise<Record<string, string>> {
  const code = `${MODULE} useOwnEnvironment({ TEMPORAL_CLI_PATH: '/own/temporal' });
    process.stdout.write(JSON.stringify(process.env));`;
  return (await runModuleScript(code, { env: { PATH: process.env['PATH'] ?? '', ...env } })) as Record<
    string,
    string
  >;
}

/** Every variable that the example file for developers names, set or commented out. */
const documented = [
  ...readFileSync(join(packageRoot, '.env.example'), 'utf8').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm),
].map(([, name]) => name ?? '');

describe('the environment of demo and tests', () => {
  it('holds none of the documented variables', async () => {
    expect(documented.length).toBeGreaterThan(20);
    const code = `${MODULE} const names = ${JSON.stringify(documented)};
      process.stdout.write(JSON.stringify(names.filter((name) => foreignSettings({ [name]: 'x' }).length === 0)));`;
    expect(await runModuleScript(code)).toEqual([]);
  });

  it('drops the settings of servers and ways out of the machine, and keeps the rest', async () => {
    const remains = await whatRemains({
      TEMPORAL_ADDRESS: 'production:7233',
      TEMPORAL_CLI_PATH: '/other/temporal',
      PGHOST: 'production',
      PGPASSWORD: 'secret',
      https_proxy: 'http://proxy:3128',
      HTTP_PROXY: 'http://proxy:3128',
      GIRO_CACHE_DIR: '/somewhere',
      WEBHOOKS_EXPECTED: 'x',
      WEBHOOK_VERIFY: 'x',
      LOG_LEVEL: 'trace',
      TERM: 'xterm',
      LANG: 'C',
      PAGER: 'less',
    });
    expect(remains).toMatchObject({
      TERM: 'xterm',
      LANG: 'C',
      PAGER: 'less',
      TEMPORAL_CLI_PATH: '/own/temporal',
    });
    const left = Object.keys(remains).filter((name) => /PROXY|^(PG|GIRO|WEBHOOK|LOG_LEVEL)/i.test(name));
    expect(left).toEqual([]);
    expect(remains).not.toHaveProperty('TEMPORAL_ADDRESS');
  });

  it('keeps the paths of the programs of a Temporal cluster, which only the caller knows', async () => {
    const programs = { TEMPORAL_SERVER_PATH: '/go/bin/server', TEMPORAL_SQL_TOOL_PATH: '/go/bin/sql' };
    expect(await whatRemains(programs)).toMatchObject(programs);
  });

  it('keeps every switch that the tests read, so that `npm test` obeys it', async () => {
    const folder = join(packageRoot, 'test');
    const read = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(folder, file), 'utf8').matchAll(/process\.env\['(GIRO_(?!TEST_)[A-Z_]+)'\]/g),
      ])
      .map(([, name]) => name ?? '');
    expect(read).toContain('GIRO_TRY_GO');
    const switches = Object.fromEntries(read.map((name) => [name, '1']));
    expect(await whatRemains(switches)).toMatchObject(switches);
  });

  it('switches the Temporal profile file off', async () => {
    const remains = await whatRemains({
      TEMPORAL_CONFIG_FILE: '/home/person/temporal.toml',
      TEMPORAL_PROFILE: 'prod',
    });
    expect(remains['TEMPORAL_CONFIG_FILE']).toBe(devNull);
    expect(remains).not.toHaveProperty('TEMPORAL_PROFILE');
  });
});
