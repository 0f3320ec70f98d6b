import { WorkflowFailedError } from '@temporalio/client';
import type {
  WorkflowHandle,
  WorkflowHandleWithStartDetails,
  WorkflowStartOptions,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestEnvironment } from './environment';

type RawStart = Partial<Omit<WorkflowStartOptions, 'taskQueue' | 'workflowId'>> & {
  readonly workflowId: string;
};

/** A start as any Temporal SDK makes it: plain JSON, the SDK's default policies unless given. */
export function startRaw(
  { env, taskQueue }: TestEnvironment,
  options: RawStart,
): Promise<WorkflowHandleWithStartDetails> {
  const { workflowId, ...rest } = options;
  return env.engine.workflow.start('transfer', { ...rest, workflowId, taskQueue });
}

/** The error that the caller of a failed run gets. */
export interface ReportedFailure {
  readonly type: string | null | undefined;
  readonly nonRetryable: boolean | null | undefined;
  readonly message: string;
  readonly details: unknown;
}

export async function failureOf(run: WorkflowHandle): Promise<ReportedFailure> {
  const error: unknown = await run.result().then(
    () => new Error('the run did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) throw error;
  const { type, nonRetryable, message, details } = error.cause;
  return { type, nonRetryable, message, details: details?.[0] };
}
