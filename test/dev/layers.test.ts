import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { useTemporaryFolder } from './temporary-folder';

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
}

const { forbidden } = jest.requireActual<{ forbidden: Rule[] }>('../../.dependency-cruiser.cjs');

/** A package that breaks every rule, each named beside the import that breaks it. */
const VIOLATIONS: Readonly<Record<string, readonly string[]>> = {
  'src/domain/impure.ts': ["import 'node:fs';", "import '../bank/movements/port';"], // domain-is-pure, layer-domain
  'src/domain/order-fingerprint.ts': ["import 'node:crypto';", "import 'node:os';"], // fingerprint-uses-crypto-alone
  'src/signing/hmac.ts': ["import '../config/env';"], // layer-signing
  'src/decisions/signers.ts': ["import '../config/env';"], // layer-decisions
  'src/bank/movements/port.ts': ["import '../../journal/journal';", "import '../apibank/apibank';"], // layer-bank, one-door-to-a-dialect
  'src/bank/apibank/apibank.ts': ["import '../credentials/token-source';"], // dialect-calls-nobody
  'src/bank/credentials/token-source.ts': [],
  'src/journal/journal.ts': ["import '../client/index';"], // layer-journal
  'src/archive/archive-file.ts': ["import '../config/env';"], // layer-archive
  'src/audit/verify-books.ts': ["import '../config/env';"], // layer-audit
  'src/telemetry/log.ts': ["import '../config/env';"], // layer-telemetry
  'src/config/env.ts': ["import '../bank/movements/port';"], // layer-config
  'src/activities/a.ts': ["import '../config/env';", "import 'axios';", "import 'pg';"], // layer-activities, axios-…, pg-…
  'src/client/index.ts': ["import '../bank/movements/port';", "import '../worker';"], // layer-client, nothing-imports-a-launcher
  'src/engine/connect.ts': ["import '../journal/journal';"], // layer-engine
  'src/recovery/recover.ts': ["import '../client/index';"], // layer-recovery
  'src/reconciliation/break.ts': ["import '../config/env';"], // layer-reconciliation
  'src/codec/key-ring.ts': ["import '../config/env';"], // layer-codec
  'src/order-proofs/order-proof.ts': ["import '../config/env';"], // layer-order-proofs
  'src/codec-server/serve.ts': ["import '../config/env';"], // layer-codec-server
  'src/webhooks/inbox.ts': ["import '../config/env';"], // layer-webhooks
  'src/reconciliation/compare.ts': ["import 'node:fs';", "import '../telemetry/log';"], // compare-is-pure, layer-reconciliation
  'src/doctor/check-result.ts': ["import '../webhooks/inbox';"], // layer-doctor
  'src/sandbox-bank/server.ts': ["import '../domain/impure';"], // layer-sandbox-bank
  'src/workflows/index.ts': ["import 'zod';", "import '../domain/order-fingerprint';"], // workflow-fence, …-fingerprint
  'src/worker.ts': ["import './cycle';", "import '../dev/tool';"], // src-imports-no-dev
  'src/program/run.ts': ["import '../commands/doctor';"], // nothing-imports-a-command
  'src/commands/doctor.ts': [],
  'src/cycle.ts': ["import './worker';"], // no-cycles
  'src/orphan.ts': [], // no-orphans
  'dev/tool.ts': [],
  'test/chaos/auditor/audit.ts': ["import '../../../dev/tool';"], // auditor-stands-alone
};

describe('the layers', () => {
  const root = useTemporaryFolder();

  it('each rule is broken by what it forbids', () => {
    for (const [path, imports] of Object.entries(VIOLATIONS)) {
      mkdirSync(dirname(join(root(), path)), { recursive: true });
      writeFileSync(join(root(), path), [...imports, 'export {};', ''].join('\n'));
    }
    for (const path of ['package.json', 'tsconfig.json']) cpSync(join(packageRoot, path), join(root(), path));
    symlinkSync(join(packageRoot, 'node_modules'), join(root(), 'node_modules'));
    // The linked packages shall be seen under the name of the link, as they are in a checkout.
    const config = `const real = require(${JSON.stringify(join(packageRoot, '.dependency-cruiser.cjs'))});
      module.exports = { ...real, options: { ...real.options, preserveSymlinks: true } };`;
    writeFileSync(join(root(), 'config.cjs'), config);

    const cruiser = join(packageRoot, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [cruiser, 'src', 'dev', 'test', '--config', 'config.cjs', '--output-type', 'json'],
      { cwd: root(), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    );
    expect(stderr).toBe('');
    const { summary } = JSON.parse(stdout) as { summary: { violations: { rule: { name: string } }[] } };
    const broken = new Set(summary.violations.map(({ rule }) => rule.name));
    expect([...broken].sort()).toEqual(forbidden.map(({ name }) => name).sort());
  });

  it('each folder of src has its own rule', () => {
    const folders = readdirSync(join(packageRoot, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    // These wire everything together, as the launchers beside them do.
    const free = ['commands', 'context', 'program', 'worker'];
    const without = folders
      .map(({ name }) => name)
      .filter(
        (name) =>
          !free.includes(name) && !forbidden.some(({ from }) => from.path?.startsWith(`^src/${name}/`)),
      );
    expect(without).toEqual([]);
  });
});
