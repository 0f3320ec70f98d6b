import { format } from 'node:util';
import { destination as openDestination, pino, stdTimeFunctions } from 'pino';
import type { Bindings, ChildLoggerOptions, DestinationStream, LevelWithSilent, LogFn, Logger } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { escapeControls, oneLine } from '../domain/printable';
import { redactText } from './redact-text';
import { isError, sanitize, sanitizeRecord } from './sanitize';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  /** Default: stderr, written at once, so that the last line before an exit is not lost. */
  readonly destination?: DestinationStream;
  /** Formats lines for people rather than programs. Default: if the destination is stderr and a terminal. */
  readonly pretty?: boolean;
}

const STDERR = 2;

/**
 * A pino logger that writes one JSON object on each line: `{"level":"info","time":"…Z","pid":1,…,"msg":"ready"}`. This
 * is the only place that sanitises fields, messages, errors and child bindings (`sanitize.ts`). Control characters are
 * escaped.
 */
export function createLogger(options: LoggerOptions): Logger {
  const asText = options.pretty ?? (options.destination === undefined && process.stderr.isTTY);
  const plain = options.destination ?? openDestination({ dest: STDERR, sync: true });
  const logger = pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // Errors arrive here sanitised; pino's own serialiser would treat the rest as an error again.
      serializers: { err: (value: unknown) => value },
      hooks: { logMethod: logSanitized },
    },
    asText ? prettyStream(plain) : { write: (line) => plain.write(escapeControls(line)) },
  );
  return sanitizeBindings(logger);
}

function prettyStream(plain: DestinationStream): DestinationStream {
  const toText = prettyFactory({
    colorize: process.stderr.isTTY,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid',
  });
  return { write: (line) => plain.write(toText(onOneLine(JSON.parse(line), ''))) };
}

/** Only a stack takes further lines, which are indented: anything else could be mistaken for a log line. */
function onOneLine(value: unknown, key: string): unknown {
  if (typeof value === 'string') return key === 'stack' ? escapeControls(value) : oneLine(value);
  if (Array.isArray(value)) return value.map((item) => onOneLine(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [oneLine(name), onOneLine(item, name)]),
  );
}

/** pino's call shapes: (fields, message?, ...values), (error, message?, ...values), (message, ...values). */
function logSanitized(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first, ...rest] = args as readonly unknown[];
  if (args.length === 0) return;
  if (typeof first !== 'object' || first === null) {
    method.call(this, {}, messageOf(first, rest));
    return;
  }
  const fields = isError(first) ? { err: first } : first;
  const [message, ...values] = rest;
  const error = (fields as { err?: unknown }).err;
  const text = message === undefined && isError(error) ? error.message : message;
  const clean = withoutReserved(sanitizeRecord(fields));
  if (text === undefined) method.call(this, clean);
  else method.call(this, clean, messageOf(text, values));
}

/** pino writes these itself; a field of that name would be in the line twice. */
const RESERVED = ['level', 'time', 'pid'] as const;

function withoutReserved(fields: Record<string, unknown>): Record<string, unknown> {
  for (const name of RESERVED) {
    if (!Object.hasOwn(fields, name)) continue;
    const { [name]: value, ...rest } = fields;
    return withoutReserved({ ...rest, [`${name}_`]: value });
  }
  return fields;
}

/** Redacted after the values are filled in: before that, `Bearer %s` does not match a pattern. */
function messageOf(message: unknown, values: readonly unknown[]): string {
  const clean = values.map((value) => (typeof value === 'object' ? sanitize(value) : value));
  return redactText(format(message, ...clean));
}

/**
 * Child bindings are serialised when the child is created, and bypass every hook of a log call. Children inherit this.
 */
function sanitizeBindings(logger: Logger): Logger {
  const plain = logger as unknown as BindingMethods;
  const { child, setBindings } = plain;
  const methods: BindingMethods = {
    child(bindings, options) {
      return child.call(this, sanitizeRecord(bindings), options);
    },
    setBindings(bindings) {
      setBindings.call(this, sanitizeRecord(bindings));
    },
  };
  Object.assign(plain, methods);
  return logger;
}

interface BindingMethods {
  child: (this: unknown, bindings: Bindings, options?: ChildLoggerOptions) => Logger;
  setBindings: (this: unknown, bindings: Bindings) => void;
}
