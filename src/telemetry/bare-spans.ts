import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

/** What an error is called: its type, a code of ours. Anything longer is a sentence, and may name a person. */
const WORD = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Words of people: the reason of a termination. */
const TEXT_ATTRIBUTES: ReadonlySet<string> = new Set(['temporalTerminateReason']);

/**
 * Exports spans without what was said of a failure: no message, no stack. A collector is another system with other
 * readers, and a message may quote what the failing call was given. What it is called stays, as the span's status.
 */
export function bareSpans(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => {
      exporter.export(spans.map(bare), done);
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

function bare(span: ReadableSpan): ReadableSpan {
  const { code, message } = span.status;
  // With an exception the message is the error's own; without one it is a code that we put there.
  const name = errorType(span) ?? message;
  const word = name !== undefined && WORD.test(name) ? name : undefined;
  return Object.create(span, {
    status: { value: word === undefined ? { code } : { code, message: word } },
    events: { value: [] },
    attributes: {
      value: Object.fromEntries(Object.entries(span.attributes).filter(([key]) => !TEXT_ATTRIBUTES.has(key))),
    },
  }) as ReadableSpan;
}

function errorType({ events }: ReadableSpan): string | undefined {
  const type = events.find(({ name }) => name === 'exception')?.attributes?.['exception.type'];
  return typeof type === 'string' ? type : undefined;
}
