import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { ActivityMetrics } from '../telemetry/metrics/process-metrics';

/** With the retry policies of `proxies.ts`: after 61 s of a local activity, 91 s of a create or an annulment. */
const REPEATED_FROM_ATTEMPT = 8;
/**
 * An activity that has only failed for this long counts as failing persistently. Covers activities with too few
 * attempts to reach the limit above.
 */
const ONLY_FAILURES_MS = 120_000;
/** A failure this long after the last one is a separate problem: retries come far sooner. */
const APART_MS = 600_000;

/**
 * Counts the failures of each activity, and distinguishes persistent from occasional ones. A failure is persistent
 * after many attempts of one step, because a single stuck transfer must show among thousands. It is persistent too when
 * an activity has only failed for a while. A final refusal counts as an answer; a cancellation by Temporal is not
 * counted.
 */
export function countFailures({ failures }: ActivityMetrics, monotonicMs = () => performance.now()) {
  /** When the current series of failures began, and when the last failure was. */
  const failing = new Map<string, { readonly sinceMs: number; readonly lastMs: number }>();
  const isRepeated = (activity: string, attempt: number): boolean => {
    const nowMs = monotonicMs();
    const known = failing.get(activity);
    const sinceMs = known === undefined || nowMs - known.lastMs > APART_MS ? nowMs : known.sinceMs;
    failing.set(activity, { sinceMs, lastMs: nowMs });
    return attempt >= REPEATED_FROM_ATTEMPT || nowMs - sinceMs >= ONLY_FAILURES_MS;
  };
  const interceptor: ActivityInterceptorsFactory = ({ info, cancellationSignal }) => ({
    inbound: {
      async execute(input, next): Promise<unknown> {
        const { activityType: activity, attempt } = info;
        try {
          const result: unknown = await next(input);
          failing.delete(activity);
          return result;
        } catch (error) {
          if (isAnswer(error)) failing.delete(activity);
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
    /** Shows each of a worker's activities at 0 from the start, and returns them. */
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
