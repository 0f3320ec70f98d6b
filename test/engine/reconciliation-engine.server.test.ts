import { setTimeout } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { transferWorkflowId } from '../../src/domain/order';
import { reconciliationEngine } from '../../src/engine/reconciliation-engine';
import { toSecond } from '../../src/reconciliation/run-window';
import { testServers } from '../support/servers';

const QUEUE = 'reconciliation-engine';
const ORIGIN_ID = 8_100_000_001;

test('the window includes its last second, as the journal’s does, and may be long', async () => {
  const connection = await Connection.connect({ address: testServers().temporalAddress });
  try {
    const client = new Client({ connection });
    const engine = reconciliationEngine(client, QUEUE, {} as never);
    const listed = async (from: string, to: string) =>
      (await engine.started({ from, to, token: null })).originIds.includes(ORIGIN_ID);
    // No worker takes the run up.
    const handle = await client.workflow.start('transfer', {
      taskQueue: QUEUE,
      workflowId: transferWorkflowId(ORIGIN_ID),
    });
    try {
      const startedMs = (await handle.describe()).startTime.getTime();
      while (!(await listed('1970-01-01T00:00:00Z', '9998-12-31T23:59:59Z'))) await setTimeout(100);
      const second = toSecond(startedMs);
      expect(await listed(second, second)).toBe(true);
      expect(await listed(toSecond(startedMs - 5_000), toSecond(startedMs - 1_000))).toBe(false);
      expect(await listed(toSecond(startedMs + 1_000), toSecond(startedMs + 5_000))).toBe(false);
    } finally {
      await handle.terminate();
    }
  } finally {
    await connection.close();
  }
});
