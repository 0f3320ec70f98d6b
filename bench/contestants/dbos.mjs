import { createServer } from 'node:http';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { create, getMovement, isFinal, ready } from './bank.mjs';

/** A service with durable workflows in its PostgreSQL: `POST /ORIGIN_ID` with the order answers the final status. */

const { DBOS_SYSTEM_DATABASE_URL, PORT } = process.env;

const transfer = DBOS.registerWorkflow(
  async (order, pollMs) => {
    let status = await DBOS.runStep(() => create(order), { name: 'create', retriesAllowed: true });
    while (!isFinal(status)) {
      await DBOS.sleep(pollMs);
      status = await DBOS.runStep(() => getMovement(order.originId), {
        ...{ name: 'getMovement', retriesAllowed: true },
      });
    }
    return status;
  },
  { name: 'transfer' },
);

DBOS.setConfig({ name: 'contestant', systemDatabaseUrl: DBOS_SYSTEM_DATABASE_URL, logLevel: 'warn' });
await DBOS.launch();

const server = createServer(async (request, response) => {
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { order, pollMs } = JSON.parse(Buffer.concat(chunks).toString());
    const handle = await DBOS.startWorkflow(transfer, { workflowID: `transfer-${order.originId}` })(
      order,
      pollMs,
    );
    response.end(JSON.stringify(await handle.getResult()));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(Number(PORT), '127.0.0.1', ready);
process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await DBOS.shutdown();
});
