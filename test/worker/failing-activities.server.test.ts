import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { until } from '../../dev/giro-environment';
import { GiroClient } from '../../src/client';
import { freshOriginId, order } from '../commands/support/orders';
import { startTestWorker } from '../commands/support/test-worker';
import { createTestDatabase } from '../support/journal-database';
import { testServers } from '../support/servers';

test('an activity that keeps failing shows in the worker’s own metrics, by the attempts of one step', async () => {
  const database = await createTestDatabase();
  const connection = await Connection.connect({ address: testServers().temporalAddress });
  let isBroken = true;
  const refused = () => Promise.reject(new Error('refused'));
  const worker = await startTestWorker(database.url, `failing-${randomUUID()}`, (journal) => ({
    ...journal,
    recordResult: (result) => (isBroken ? refused() : journal.recordResult(result)),
    recordAnnulment: (annulment) => (isBroken ? refused() : journal.recordAnnulment(annulment)),
  }));
  const ordering = { client: new Client({ connection }), taskQueue: worker.taskQueue };
  const giro = new GiroClient(ordering);
  // The eighth try of a local activity comes after 61.5 s of the workflow's time.
  const skipping = new GiroClient({
    ...ordering,
    amendStartRequest: (request) => ({
      ...request,
      timeSkippingConfig: { enabled: true, maxSessionSkipCount: 1_000 },
    }),
  });
  const metrics = async (): Promise<string> => (await fetch(`http://${worker.httpAddress}/metrics`)).text();
  try {
    const before = await metrics();
    for (const activity of ['recordResult', 'recordAnnulment', 'recoverLostRuns', 'askVerification']) {
      expect(before).toContain(`giro_activity_failures_total{activity="${activity}",repeated="yes"} 0\n`);
    }
    const failed = await giro.startTransfer(order(freshOriginId(), { description: 'FAILED' }));
    await until(metrics, (text) =>
      /^giro_activity_failures_total\{activity="recordAnnulment",repeated="no"\} [2-7]$/m.test(text),
    );
    const completed = await skipping.startTransfer(order(freshOriginId()));
    const after = await until(metrics, (text) =>
      /^giro_activity_failures_total\{activity="recordResult",repeated="yes"\} [1-9]/m.test(text),
    );
    expect(after).toContain('giro_activity_failures_total{activity="recordResult",repeated="no"} 7\n');
    // Metrics of the SDK's core, which do not distinguish one step from many.
    expect(after).toMatch(
      /^temporal_local_activity_execution_failed_total\{activity_type="recordResult",.*workflow_type="transfer"\} ([7-9]|\d\d)$/m,
    );
    expect(after).toMatch(
      /^temporal_activity_execution_failed_total\{activity_type="recordAnnulment",.*workflow_type="transfer"\} [1-9]\d*$/m,
    );
    isBroken = false;
    expect(await giro.waitForTransfer(completed.originId)).toMatchObject({ status: 'COMPLETED' });
    expect(await giro.waitForTransfer(failed.originId)).toMatchObject({ status: 'FAILED' });
  } finally {
    await worker.stop();
    await connection.close();
    await database.drop();
  }
});
