import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';

/** A namespace without search attributes and schedules, for what `setup` writes; its name. */
export async function newNamespace(connection: Connection): Promise<string> {
  const namespace = `setup-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  // Other parts of the server see it a little later.
  for (;;) {
    try {
      await connection.operatorService.listSearchAttributes({ namespace });
      return namespace;
    } catch {
      await setTimeout(100);
    }
  }
}
