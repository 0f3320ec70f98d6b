import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage, exampleEnv } from '../../dev/configuration-docs';
import { ConfigError } from '../../src/config/config-error';
import { duration } from '../../src/config/formats';
import { loadSettings } from '../../src/config/settings';
import type { Need } from '../../src/config/settings';
import { SettingsReader, variables } from '../../src/config/variable';
import { VARIABLES } from '../../src/config/variables';
import { configWarnings } from '../../src/config/warnings';

// The recipe of docs/runbooks/changing-giro.md: one declaration, and everything else follows from it.
const PAUSES = variables('Cadence', {
  POLL_PAUSE: { ...duration({ minMs: 2_000 }), default: '3s', meaning: 'gap | after a pause' },
});
const WITH_PAUSES = [...VARIABLES, ...Object.values(PAUSES)];

const inPackage = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');

test('its value and its default are read', () => {
  expect(new SettingsReader({ POLL_PAUSE: '2s' }).read(PAUSES.POLL_PAUSE)).toBe(2_000);
  expect(new SettingsReader({}).read(PAUSES.POLL_PAUSE)).toBe(3_000);
});

test('an error names the bound from the declaration', () => {
  const reader = new SettingsReader({ POLL_PAUSE: '1s' });
  reader.read(PAUSES.POLL_PAUSE);
  expect(new ConfigError(reader.problems).message).toBe(
    'configuration: 1 error\n  POLL_PAUSE is "1s": shorter than 2s; allowed: a duration of at least 2s',
  );
});

test('a misspelt name is warned about, and the right one is not', () => {
  const env = { POLL_PAUSES: '2s', POLL_PAUSE: '2s' };
  expect(configWarnings(env, WITH_PAUSES)).toEqual([
    'POLL_PAUSES is not a variable of Giro and is ignored: did you mean POLL_PAUSE?',
  ]);
});

test('docs/configuration.md gets its row, and keeps everything else', () => {
  const page = inPackage('docs/configuration.md');
  const row = '| `POLL_PAUSE` | `3s` | a duration of at least 2s | gap \\| after a pause |';
  const written = configurationPage(page, WITH_PAUSES).split('\n');
  expect(written.filter((line) => line.includes('POLL_PAUSE'))).toEqual([row]);
  expect(written.filter((line) => line !== row)).toEqual(configurationPage(page, VARIABLES).split('\n'));
});

test('.env.example gets its line, and keeps what is set', () => {
  const example = inPackage('.env.example');
  expect(exampleEnv(example, VARIABLES)).toBe(example);
  expect(exampleEnv(example, WITH_PAUSES)).toContain(
    '\n# gap | after a pause; allowed: a duration of at least 2s\n# POLL_PAUSE=3s\n',
  );
});

/** Every part of the configuration. */
const NEEDS: Readonly<Record<Need, true>> = {
  logging: true,
  tracing: true,
  temporal: true,
  journal: true,
  inbox: true,
  notifications: true,
  bank: true,
  orderLimits: true,
  orderSigners: true,
  transferSettings: true,
  decisionSigners: true,
  verifications: true,
  worker: true,
  recovery: true,
  reconciliation: true,
  codecServer: true,
  receiver: true,
  webhooks: true,
  webhookTypes: true,
};

test('a variable that is declared is read, and one that is read is in the list', () => {
  const read = new Set<string>();
  // With both kinds of signatures, and with traces, so that their variables count.
  const env = new Proxy<Record<string, string>>(
    {
      ...{ WEBHOOK_VERIFY: 'hmac', WEBHOOKS_EXPECTED: 'a=https://giro.example/{secret}' },
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
    },
    {
      get: (target, name) => {
        read.add(String(name));
        return target[String(name)];
      },
    },
  );
  expect(() => loadSettings(env, Object.keys(NEEDS) as Need[])).toThrow(ConfigError);
  // Temporal's are read by its library, and where its profile file lies the system says.
  const others = /^(TEMPORAL_.*|HOME|XDG_CONFIG_HOME|APPDATA)$/;
  const ours = (names: readonly string[]) => names.filter((name) => !others.test(name)).sort();
  expect(ours([...read])).toEqual(ours(VARIABLES.map(({ name }) => name)));
});
