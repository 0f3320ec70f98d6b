import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';

type Job = NonNullable<ActivateInput['activation']['jobs']>[number];

/** The SDK's id of a query that came without a workflow task. */
const QUERY_ALONE = 'legacy_query';

/** The error of a query that a run cannot answer yet. */
const ASK_AGAIN = 'this run has news that no workflow task has handled yet: ask again';

/**
 * A run acts in workflow tasks only.
 *
 * A query may reach a worker that does not have the run in its cache. The worker rebuilds the run from a history that
 * may end with news: a timer that fired, a signal, the end of an activity. The SDK lets the run act on them, executes
 * its local activities, and keeps the run in the cache. But another worker may get the task that handles the news, and
 * the history then holds only what that worker does. Such a query fails instead, and the SDK drops the run from the
 * cache. Two signs give it away:
 *
 * - News arrives, but the history has the same size as at the last activation. The size is that at the start of the
 * last
 *   task, so no task has started since.
 * - The query comes while a local activity runs. A worker that has the task completes it first. So another worker
 *   has the task.
 */
export function interceptors(): WorkflowInterceptors {
  let size = 0;
  let localActivities = 0;
  return {
    internals: [
      {
        activate(input, next) {
          const { jobs, historySizeBytes, isReplaying } = input.activation;
          const query = jobs?.find(({ queryWorkflow }) => queryWorkflow != null)?.queryWorkflow;
          if (query?.queryId === QUERY_ALONE && localActivities > 0) throw new Error(ASK_AGAIN);
          // The SDK may deliver the jobs of one activation in two batches.
          if (query == null && input.batchIndex === 0) {
            const lastSize = size;
            // 0: an old server does not report the size.
            size = historySizeBytes?.toNumber() ?? 0;
            const isHandled = isReplaying === true || size === 0 || size !== lastSize;
            if (!isHandled && jobs?.some(isNews)) throw new Error(ASK_AGAIN);
          }
          localActivities -= jobs?.filter(({ resolveActivity }) => resolveActivity?.isLocal).length ?? 0;
          next(input);
        },
        concludeActivation(input, next) {
          localActivities += input.commands.filter(
            ({ scheduleLocalActivity }) => scheduleLocalActivity != null,
          ).length;
          return next(input);
        },
      },
    ],
  };
}

/** Whether the job reports an event that begins a workflow task. */
const isNews = (job: Job): boolean =>
  [job.fireTimer, job.signalWorkflow, job.cancelWorkflow].some((it) => it != null) ||
  job.resolveActivity?.isLocal === false;
