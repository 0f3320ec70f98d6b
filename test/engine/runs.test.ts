import { TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { transferRuns } from '../../src/engine/runs';
import type { AttentionReason } from '../../src/domain/transfer/flags';

interface Described {
  readonly status: string;
  readonly hasTask?: boolean;
  readonly hasActivity?: boolean;
  readonly reason?: AttentionReason;
}

/** The state of a run that Temporal describes so. */
function observed({ status, hasTask = false, hasActivity = false, reason }: Described) {
  const key = defineSearchAttributeKey('GiroAttentionReason', 'KEYWORD');
  const description = {
    status: { name: status },
    raw: {
      pendingWorkflowTask: hasTask ? {} : null,
      pendingActivities: hasActivity ? [{}] : [],
    },
    typedSearchAttributes: new TypedSearchAttributes(reason === undefined ? [] : [{ key, value: reason }]),
  };
  const client = {
    workflow: { getHandle: () => ({ describe: () => Promise.resolve(description) }) },
    withDeadline: (_: number, call: () => Promise<unknown>) => call(),
    options: { interceptors: {} },
  };
  return transferRuns(client as unknown as Client, 'giro').observe(1);
}

test('a run without a task and an activity is idle, whether flagged or not', async () => {
  expect(await observed({ status: 'RUNNING' })).toBe('idle');
  expect(await observed({ status: 'RUNNING', reason: 'OPEN_TOO_LONG' })).toBe('idle');
});

test('a run with a task or an activity, a held or a paused run is not idle', async () => {
  expect(await observed({ status: 'RUNNING', hasTask: true })).toBe('open');
  expect(await observed({ status: 'RUNNING', hasActivity: true })).toBe('open');
  expect(await observed({ status: 'RUNNING', reason: 'ORDER_TAMPERED' })).toBe('open');
  expect(await observed({ status: 'PAUSED' })).toBe('open');
});

test('a closed run has ended if it completed, and is lost otherwise', async () => {
  expect(await observed({ status: 'COMPLETED' })).toBe('ended');
  for (const status of ['FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT'])
    expect(await observed({ status })).toBe('lost');
});
