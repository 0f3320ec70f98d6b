import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';

type Activation = ActivateInput['activation'];
type Job = NonNullable<Activation['jobs']>[number];

/** The SDK's id of a query that came without a workflow task. */
const QUERY_ALONE = 'legacy_query';

/** The error of a query that a run cannot answer yet. */
const ASK_AGAIN = 'this run has news that no workflow task has handled yet: ask again';

/**
 * Fails a query that would make the run act outside a workflow task; the SDK then drops the run from the cache. Each of
 * two signs identifies such a query:
 *
 * - News arrives, but size and time are those of the last activation. Both are taken when a task starts, so no task has
 *   started since.
 * - The query comes while a local activity runs. A worker that has the task completes the task first. So another worker
 *   has the task.
 *
 * Why: a query may reach a worker that does not have the run in its cache. The worker rebuilds the run from a history
 * that may end with news: a timer that fired, a signal, the end of an activity. The SDK lets the run act on the news,
 * executes its local activities, and keeps the run in the cache. But another worker may have the task that handles the
 * news, and the history then holds only what that worker does.
 */
export function interceptors(): WorkflowInterceptors {
  let last: TaskStart | null = null;
  let localActivities = 0;
  return {
    internals: [
      {
        activate(input, next) {
          const { jobs, isReplaying } = input.activation;
          const query = jobs?.find(({ queryWorkflow }) => queryWorkflow != null)?.queryWorkflow;
          if (query?.queryId === QUERY_ALONE && localActivities > 0) throw new Error(ASK_AGAIN);
          // The SDK may deliver the jobs of one activation in two batches.
          if (query == null && input.batchIndex === 0) {
            const begun = startOf(input.activation);
            const isSame = begun.size === last?.size && begun.atMs === last.atMs;
            if (isSame && isReplaying !== true && jobs?.some(isNews)) throw new Error(ASK_AGAIN);
            last = begun;
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

/** The last start of a task that the history holds. */
interface TaskStart {
  /** Bytes of the history; null: the server is too old to report it. */
  readonly size: number | null;
  /** ms since 1970. A local activity that ends moves the time forward. */
  readonly atMs: number;
}

const startOf = ({ historySizeBytes, timestamp }: Activation): TaskStart => ({
  size: historySizeBytes?.toNumber() || null,
  atMs: (timestamp?.seconds?.toNumber() ?? 0) * 1_000 + (timestamp?.nanos ?? 0) / 1_000_000,
});

/** Whether the job reports an event that begins a workflow task. */
const isNews = (job: Job): boolean =>
  [job.fireTimer, job.signalWorkflow, job.cancelWorkflow].some((it) => it != null) ||
  job.resolveActivity?.isLocal === false;
