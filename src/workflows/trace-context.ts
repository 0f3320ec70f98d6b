import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers, Payload, WorkflowInterceptors } from '@temporalio/workflow';

/** The header of Temporal's OpenTelemetry interceptors, in every SDK. */
const TRACE_HEADER = '_tracer-data';

/** W3C trace context: version, trace id, parent id, flags. Ids of zeros, and version ff, are invalid. */
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?=-|$)/;

/**
 * Passes the trace of a run's start on to its activities and to the run that continues it. This needs nothing of
 * OpenTelemetry in the sandbox, and a replay does not compare headers. Without a trace every call stays unchanged.
 */
export function interceptors(): WorkflowInterceptors {
  let carried: Headers | null = null;
  const withTrace = <I extends { readonly headers: Headers }>(input: I): I =>
    carried === null ? input : { ...input, headers: { ...input.headers, ...carried } };
  return {
    inbound: [
      {
        execute(input, next) {
          const parent = traceParentIn(input.headers[TRACE_HEADER]);
          if (parent !== null) {
            carried = { [TRACE_HEADER]: defaultPayloadConverter.toPayload({ traceparent: parent }) };
          }
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

/**
 * Returns the ids only. Whoever starts a run writes this header, and headers are not encrypted: baggage and tracestate,
 * which may hold anything, would be in clear in every event. An unreadable header means no trace; the transfer
 * continues.
 */
function traceParentIn(header: Payload | undefined): string | null {
  if (header === undefined) return null;
  try {
    const carrier: unknown = defaultPayloadConverter.fromPayload(header);
    const value: unknown =
      typeof carrier === 'object' && carrier !== null && 'traceparent' in carrier
        ? carrier.traceparent
        : null;
    return typeof value === 'string' ? (TRACE_PARENT.exec(value)?.[0] ?? null) : null;
  } catch {
    return null;
  }
}
