/**
 * Child process of test/e2e/heap.server.test.ts: measures the heap of a cached transfer. In `debugMode` the workflows'
 * contexts share the main isolate; by default they are in threads, whose heaps cannot be read. The bundle and the
 * server are real. The activities are stand-ins with fixed answers, because their heap does not matter. Reads its task
 * from stdin, and prints one JSON line `{"cached","bytesPerWorkflow"}`.
 */
const { readFileSync } = require('node:fs');
const { setTimeout: pause } = require('node:timers/promises');
const { Client, Connection } = require('@temporalio/client');
const { DefaultLogger, NativeConnection, Runtime, Worker } = require('@temporalio/worker');

const { address, bundlePath, taskQueue, orders, received, created } = JSON.parse(readFileSync(0, 'utf8'));
/** Transfers for warm-up, which are not counted. */
const WARM_UP = 20;
const DEADLINE_EXCEEDED = 4;
/** For each of the two starts. */
const UNTIL_MS = 250_000;

async function main() {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const [connection, native] = await Promise.all([
    Connection.connect({ address }),
    NativeConnection.connect({ address }),
  ]);
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle: { code: readFileSync(bundlePath, 'utf8') },
    debugMode: true,
    maxCachedWorkflows: orders.length + 1,
    activities: {
      receiveTransfer: () => received,
      createTransfer: () => created,
      readClock: (_nothing, seen) => ({ atMs: seen.engineMs, seen }),
    },
  });
  const client = new Client({ connection });
  const running = worker.run();

  const start = async (some) => {
    const handles = await Promise.all(
      some.map((order) =>
        client.workflow.start('transfer', {
          workflowId: `transfer-${order.originId}`,
          taskQueue,
          args: [order],
        }),
      ),
    );
    const deadline = Date.now() + UNTIL_MS;
    for (const handle of handles) {
      while ((await bankStatus(handle)) !== 'DELAYED') {
        if (Date.now() > deadline) throw new Error('the transfers do not get to their wait');
        await pause(50);
      }
    }
  };

  await start(orders.slice(0, WARM_UP));
  const before = { heap: await settledHeap(), cached: worker.getStatus().numCachedWorkflows };
  await start(orders.slice(WARM_UP));
  const after = { heap: await settledHeap(), cached: worker.getStatus().numCachedWorkflows };
  await Promise.all(
    orders.map(({ originId }) => client.workflow.getHandle(`transfer-${originId}`).terminate('measured')),
  );
  const cached = after.cached - before.cached;
  console.log(JSON.stringify({ cached, bytesPerWorkflow: Math.round((after.heap - before.heap) / cached) }));
  worker.shutdown();
  await running;
  await native.close();
  await connection.close();
}

/** Null while no worker answers the query: on a busy machine the server's time-out ends it. */
async function bankStatus(handle) {
  try {
    return (await handle.query('state')).bankStatus;
  } catch (error) {
    if (error.cause?.code === DEADLINE_EXCEEDED) return null;
    throw error;
  }
}

/** The smallest heap after several garbage collections, because finalisers run between them. */
async function settledHeap() {
  let least = Infinity;
  for (let i = 0; i < 5; i += 1) {
    await pause(200);
    globalThis.gc();
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
