import { accept, refuse } from './formats';
import type { Parser } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** Where traces go; null: nowhere, and nothing of OpenTelemetry is loaded. */
export interface TracingConfig {
  readonly exporter: {
    /** Traces are POSTed there, OTLP over HTTP. */
    readonly url: string;
    readonly serviceName: string;
    /** The sampled share, from 0 to 1, of traces that begin here. A caller's decision to sample is kept. */
    readonly ratio: number;
  } | null;
}

export interface TracingSecrets {
  /** Sent with each export. */
  readonly headers: Readonly<Record<string, string>>;
}

const tracesUrl: Parser<string> = (text) => {
  if (!/^https?:\/\/[^\s/\\]\S*$/.test(text) || !URL.canParse(text))
    return refuse('is not an http:// or https:// address');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return refuse('has a user or password');
  if (/[?#]/.test(text)) return refuse('has a query or fragment');
  return accept(`${url.origin}${url.pathname.replace(/\/$/, '')}/v1/traces`);
};

const serviceNameOf: Parser<string> = (text) =>
  /^[\x21-\x7e]{1,100}$/.test(text)
    ? accept(text)
    : refuse('is not a word of at most 100 printable characters');

const ratioOf: Parser<number> = (text) =>
  /^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/.test(text)
    ? accept(Number(text))
    : refuse('is not a number from 0 to 1');

/** `name=value`, comma-separated, values percent-encoded: the form that OpenTelemetry prescribes. */
const headerList: Parser<Readonly<Record<string, string>>> = (text) => {
  const headers: Record<string, string> = {};
  for (const [i, entry] of text.split(',').entries()) {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(entry) ?? [];
    if (name === undefined || value === undefined) return refuse(`entry ${i + 1} is not name=value`);
    const decoded = decode(value);
    if (decoded === null) return refuse(`entry ${i + 1} has a % that is not followed by two hex digits`);
    // The exporter would drop every span without a word.
    if (!/^[\x20-\x7e]*$/.test(decoded)) return refuse(`entry ${i + 1} is not printable ASCII text`);
    headers[name] = decoded;
  }
  return accept(headers);
};

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export const TRACING = variables('Tracing', {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    parse: tracesUrl,
    allowed: 'http(s)://HOST[:PORT][/PATH] without user, password, query or fragment',
    meaning: 'OpenTelemetry collector: spans go to its /v1/traces as OTLP over HTTP (JSON); none = no traces',
    shown: 'url',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    parse: headerList,
    allowed: 'name=value, comma-separated, values printable ASCII text, percent-encoded',
    meaning: 'headers for the collector',
    shown: 'never',
  },
  OTEL_SERVICE_NAME: {
    parse: serviceNameOf,
    default: 'giro',
    allowed: 'a word of at most 100 printable characters',
    meaning: 'name of this process in traces',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    parse: ratioOf,
    default: '1',
    allowed: 'a number from 0 to 1',
    meaning:
      'share of the traces that begin here and are kept; for a trace that a caller began, the caller decides',
  },
});

export function readTracing(reader: SettingsReader): {
  readonly config: TracingConfig;
  readonly secrets: TracingSecrets;
} {
  const url = reader.read(TRACING.OTEL_EXPORTER_OTLP_ENDPOINT);
  // Without a collector, the other variables may be set for other programs.
  if (!reader.isSet(TRACING.OTEL_EXPORTER_OTLP_ENDPOINT))
    return { config: { exporter: null }, secrets: { headers: {} } };
  const serviceName = reader.read(TRACING.OTEL_SERVICE_NAME);
  const ratio = reader.read(TRACING.OTEL_TRACES_SAMPLER_ARG);
  const headers = reader.read(TRACING.OTEL_EXPORTER_OTLP_HEADERS) ?? {};
  return {
    config: { exporter: url === null ? null : { url, serviceName, ratio } },
    secrets: { headers },
  };
}
