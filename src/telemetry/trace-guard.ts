import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';

const TRACE_HEADER = '_tracer-data';

/**
 * The same interceptor, never handed a trace that it cannot read: it decodes the header before the activity's own code
 * begins, so that a throw there would fail the step again and again. Without a header its span has no parent.
 */
export function guarded(traced: ActivityInboundCallsInterceptor): ActivityInboundCallsInterceptor {
  return {
    execute: (input, next) =>
      traced.execute?.({ ...input, headers: readable(input.headers) }, next) ?? next(input),
  };
}

function readable(headers: Headers): Headers {
  const { [TRACE_HEADER]: header, ...others } = headers;
  if (header === undefined) return headers;
  try {
    const carrier: unknown = defaultPayloadConverter.fromPayload(header);
    return typeof carrier === 'object' && carrier !== null ? headers : others;
  } catch {
    return others;
  }
}
