/** One-way layers (ARCHITECTURE.md), the fence around workflow code, and no cycles. */
const layer = (name, from, allowed) => ({
  name: `layer-${name}`,
  comment: `${name} may depend on: ${allowed.join(', ')}`,
  severity: 'error',
  from: { path: from },
  to: { path: '^(src|dev|test|bench)/', pathNot: [from, ...allowed.map((p) => `^src/${p}/`)] },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: '\\.d\\.ts$' },
      to: {},
    },
    {
      name: 'domain-is-pure',
      comment:
        'The domain holds rules only: no packages; node:crypto in the one file that fingerprints an order.',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: '^src/domain/order-fingerprint\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core', 'npm-no-pkg'] },
    },
    {
      name: 'compare-is-pure',
      comment: 'What compares books holds rules only; files and reports are in folders of their own.',
      severity: 'error',
      from: { path: '^src/reconciliation/[^/]+\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core', 'npm-no-pkg'] },
    },
    {
      name: 'workflow-fence',
      comment:
        'Workflow code runs in the sandbox: @temporalio/workflow, the domain, and types of activities.',
      severity: 'error',
      from: { path: '^src/workflows/' },
      to: {
        pathNot: ['^src/(workflows|domain)/', '^node_modules/@temporalio/(workflow|common)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'workflow-fence-fingerprint',
      severity: 'error',
      from: { path: '^src/workflows/' },
      to: { path: '^src/domain/order-fingerprint\\.ts$' },
    },
    {
      name: 'one-door-to-a-dialect',
      comment: "A bank's dialect is chosen in our-bank.ts; nothing else knows what its wire looks like.",
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/bank/(apibank/|our-bank\\.ts$)' },
      to: { path: '^src/bank/apibank/' },
    },
    {
      name: 'dialect-calls-nobody',
      comment: 'A dialect writes and reads; calls, credentials and outcomes are the same for every bank.',
      severity: 'error',
      from: { path: '^src/bank/apibank/' },
      to: {
        path: '^src/bank/',
        pathNot:
          '^src/bank/(apibank/|dialect\\.ts$|http/json\\.ts$|(movements|verifications|webhooks)/[^/]*port\\.ts$)',
      },
    },
    {
      name: 'axios-in-one-file',
      severity: 'error',
      from: { path: '^(src|dev|test)/', pathNot: '^src/bank/http/http-transport\\.ts$' },
      to: { path: '^node_modules/axios/' },
    },
    {
      name: 'pg-in-one-folder',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/journal/' },
      to: { path: '^node_modules/pg/' },
    },
    {
      name: 'fingerprint-uses-crypto-alone',
      severity: 'error',
      from: { path: '^src/domain/order-fingerprint\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core', 'npm-no-pkg'], pathNot: '^(node:)?crypto$' },
    },
    layer('domain', '^src/domain/', []),
    layer('signing', '^src/signing/', []),
    layer('codec', '^src/codec/', []),
    layer('codec-server', '^src/codec-server/', ['codec', 'telemetry']),
    layer('bank', '^src/bank/', ['domain', 'signing']),
    layer('journal', '^src/journal/', ['domain', 'codec', 'reconciliation']),
    layer('telemetry', '^src/telemetry/', ['domain']),
    layer('config', '^src/config/', ['domain', 'codec', 'signing']),
    layer('reconciliation', '^src/reconciliation/', ['domain']),
    layer('recovery', '^src/recovery/', ['domain', 'journal']),
    layer('activities', '^src/activities/', [
      'domain',
      'bank',
      'journal',
      'telemetry',
      'recovery',
      'reconciliation',
    ]),
    layer('engine', '^src/engine/', ['client', 'codec', 'config', 'domain', 'recovery', 'reconciliation']),
    layer('client', '^src/client/', ['bank', 'codec', 'domain', 'journal', 'workflows']),
    layer('webhooks', '^src/webhooks/', ['bank', 'domain', 'journal', 'signing', 'telemetry']),
    layer('doctor', '^src/doctor/', ['bank', 'config', 'client', 'codec', 'domain', 'engine', 'journal']),
    layer('sandbox-bank', '^src/sandbox-bank/', ['signing']),
    {
      name: 'nothing-imports-a-launcher',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(starter|commands/)' },
      to: { path: '^src/(worker|receiver|starter)\\.ts$' },
    },
    {
      name: 'nothing-imports-a-command',
      comment: 'What worker, receiver and commands share is in src/program.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(starter\\.ts$|commands/)' },
      to: { path: '^src/commands/' },
    },
    {
      name: 'auditor-stands-alone',
      comment:
        'The auditor judges the product by plain books: what it shared with the product it could not judge.',
      severity: 'error',
      from: { path: '^test/chaos/auditor/' },
      to: { pathNot: '^test/chaos/auditor/' },
    },
    {
      name: 'src-imports-no-dev',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(dev|test|bench)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
    },
  },
};
