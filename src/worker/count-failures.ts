import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { ActivityMetrics } from '../telemetry/metrics/activity-metrics';

/** With the retry policies of `proxies.ts`: after 61 s of a local activity, 91 s of a create, 123 s of an annulment. */
const REPEATED_FROM_ATTEMPT = 8;
/** For activities that are tried a few times only, then again by the next run or poll. */
const ONLY_FAILURES_MS = 120_000;

/**
 * Counts the failures of each activity. What keeps failing is told from what fails now and then: by the attempts of one
 * step, because a single transfer that is stuck must show among thousands that are not; and by activities that have
 * done nothing but fail for a while. A refusal for good is an answer, and cancellation is the engine's doing.
 */
export function countFailures({ failures }: ActivityMetrics, monotonicMs = () => performance.now()) {
  const failingSinceMs = new Map<string, number>();
  const isRepeated = (activity: string, attempt: number): boolean => {
    const nowMs = monotonicMs();
    const sinceMs = failingSinceMs.get(activity) ?? nowMs;
    failingSinceMs.set(activity, sinceMs);
    return attempt >= REPEATED_FROM_ATTEMPT || nowMs - sinceMs >= ONLY_FAILURES_MS;
  };
  const interceptor: ActivityInterceptorsFactory = ({ info, cancellationSignal }) => ({
    inbound: {
      async execute(input, next): Promise<unknown> {
        const { activityType: activity, attempt } = info;
        try {
          const result: unknown = await next(input);
          failingSinceMs.delete(activity);
          return result;
        } catch (error) {
          if (isAnswer(error)) failingSinceMs.delete(activity);
          else if (!cancellationSignal.aborted && !(error instanceof CancelledFailure)) {
            failures.inc({ activity, repeated: isRepeated(activity, attempt) ? 'yes' : 'no' });
          }
          throw error;
        }
      },
    },
  });
  return {
    interceptor,
    /** Shows each of a worker's activities at 0 from the start, and gives them back. */
    showAll: <Activities extends object>(activities: Activities): Activities => {
      for (const activity of Object.keys(activities)) {
        for (const repeated of ['no', 'yes']) failures.inc({ activity, repeated }, 0);
      }
      return activities;
    },
  };
}

const isAnswer = (error: unknown): boolean =>
  error instanceof ApplicationFailure && error.nonRetryable === true;
