/**
 * A worker in a separate process, to be killed: the built activities, journal and bank client. At `point` (a call of
 * the journal or the bank, for request `number` if given) it writes the marker file and kills itself with SIGKILL, so
 * that no finally block runs, nothing drains, and the server gets no answer. Without a point it runs until it is
 * killed. Ends with its parent, when stdin closes. Needs `npm run build`.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { DefaultLogger, NativeConnection, Runtime, Worker } = require('@temporalio/worker');
const { openBankClient } = require('../../dist/dev/bank-client');
const { Client, Connection } = require('@temporalio/client');
const { transferActivities } = require('../../dist/src/activities');
const { reconciliationActivities } = require('../../dist/src/activities/reconciliation');
const { createBankLimiter } = require('../../dist/src/bank/limiter/limiter');
const { DEFAULT_ORDER_LIMITS } = require('../../dist/src/domain/order');
const { reconciliationEngine } = require('../../dist/src/engine/reconciliation-engine');
const { transferRuns } = require('../../dist/src/engine/runs');
const { createJournal } = require('../../dist/src/journal/create-journal');

const input = JSON.parse(process.argv[2]);
const { address, bundlePath, taskQueue, databaseUrl, bank, settings, point, markerPath } = input;
const cached = input.cachedWorkflowsMax === undefined ? {} : { maxCachedWorkflows: input.cachedWorkflowsMax };

process.stdin.resume().on('end', () => process.kill(process.pid, 'SIGKILL'));

async function main() {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const { journal } = createJournal(databaseUrl);
  const bankClient = openBankClient(bank, bank.token, settings);
  const engine = new Client({ connection: await Connection.connect({ address }) });
  const parts = {
    limiter: createBankLimiter({ maxRps: 0, pollActiveMs: settings.pollActiveMs }),
    bank: bankClient,
    journal: dyingAt(journal),
    settings,
  };
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue,
    workflowBundle: { code: readFileSync(bundlePath, 'utf8') },
    ...cached,
    activities: {
      ...transferActivities({ ...parts, orderLimits: DEFAULT_ORDER_LIMITS, orderSigners: () => null }),
      ...reconciliationActivities({
        ...parts,
        engine: reconciliationEngine(engine, taskQueue, transferRuns(engine, taskQueue)),
      }),
    },
  });
  await worker.run();
}

/** The journal; this process kills itself before or after one of the calls. */
function dyingAt(journal) {
  if (point === null) return journal;
  const call = journal[point.call];
  if (typeof call !== 'function') throw new Error(`the journal has no ${point.call}`);
  let calls = 0;
  const isHere = ({ number }) => {
    if (point.number !== null && number !== point.number) return false;
    calls += 1;
    return calls === (point.nth ?? 1);
  };
  return {
    ...journal,
    [point.call]: async (...given) => {
      if (point.when === 'before' && isHere(given[0])) die();
      const value = await call(...given);
      if (point.when === 'after' && isHere(given[0])) die();
      return value;
    },
  };
}

function die() {
  writeFileSync(markerPath, 'reached');
  process.kill(process.pid, 'SIGKILL');
  // The signal may take effect a moment later. Block the thread, so that nothing happens meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
