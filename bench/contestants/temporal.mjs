import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { create, getMovement, ready } from './bank.mjs';

/** A Temporal worker of both workflows, with the SDK's default settings. */

const { TEMPORAL_ADDRESS, TASK_QUEUE } = process.env;
const connection = await NativeConnection.connect({ address: TEMPORAL_ADDRESS });
const worker = await Worker.create({
  connection,
  taskQueue: TASK_QUEUE,
  workflowsPath: fileURLToPath(new URL('./temporal-workflows.mjs', import.meta.url)),
  activities: { create, getMovement },
});
ready();
await worker.run();
await connection.close();
