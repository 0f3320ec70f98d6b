import type { Headers, WorkflowInterceptors } from '@temporalio/workflow';

/** The header of Temporal's OpenTelemetry interceptors, in every SDK. */
const TRACE_HEADER = '_tracer-data';

/**
 * Hands the trace that a run was started in on to its activities and to the run that continues it. Nothing of
 * OpenTelemetry is in the sandbox for that, and headers are no part of what a replay compares; without a trace every
 * call goes on untouched.
 */
export function interceptors(): WorkflowInterceptors {
  let carried: Headers | null = null;
  const withTrace = <I extends { readonly headers: Headers }>(input: I): I =>
    carried === null ? input : { ...input, headers: { ...input.headers, ...carried } };
  return {
    inbound: [
      {
        execute(input, next) {
          const trace = input.headers[TRACE_HEADER];
          if (trace !== undefined) carried = { [TRACE_HEADER]: trace };
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withTrace(input)),
        scheduleLocalActivity: (input, next) => next(withTrace(input)),
        continueAsNew: (input, next) => next(withTrace(input)),
      },
    ],
  };
}
