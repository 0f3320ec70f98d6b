import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { DestinationStream } from 'pino';
import { loadProcessEnv } from '../config/env';
import type { Env } from '../config/env';
import type { Overrides } from '../context';
import { escapeControls } from '../domain/printable';

/** The parts of the process that a command uses, so that tests can run commands without a process. */
export interface CommandIo {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly stderrIsTerminal: boolean;
  /** Where log lines go; null: stderr, pretty on a terminal. */
  readonly logDestination: DestinationStream | null;
  /** @throws ConfigError when the `.env` file cannot be read */
  readonly env: () => Env;
  /** Ends long-running commands; null: SIGTERM and SIGINT do. */
  readonly stop: AbortSignal | null;
  readonly overrides?: Overrides;
}

export function processIo(): CommandIo {
  const { stdin, stdout, stderr } = process;
  // A reader that ends early, as in `giro transfer list | head`, is not a failure.
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    stdin,
    stdout,
    stderr,
    stderrIsTerminal: stderr.isTTY,
    logDestination: null,
    env: loadProcessEnv,
    stop: null,
  };
}

/** Clears the line of a terminal. `printingSafely` lets it pass on stderr, at the beginning of a text only. */
export const CLEAR_LINE = '\r\u001b[2K';

/** The same process, with all output escaped: control characters in foreign text never reach the terminal. */
export const printingSafely = (io: CommandIo): CommandIo => ({
  ...io,
  stdout: escaping(io.stdout, (text) => escapeControls(text)),
  stderr: escaping(io.stderr, (text) =>
    text.startsWith(CLEAR_LINE)
      ? `${CLEAR_LINE}${escapeControls(text.slice(CLEAR_LINE.length))}`
      : escapeControls(text),
  ),
});

function escaping(stream: Writable, escape: (text: string) => string): Writable {
  const write = (chunk: string | Uint8Array, ...rest: never[]): boolean =>
    stream.write(escape(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')), ...rest);
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

export interface StopSignal {
  readonly signal: AbortSignal;
  /** Stops catching the process's signals. */
  release(): void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** npm passes a terminal's Ctrl-C on, so it arrives twice: only a later one means "at once". */
const REPEAT_AFTER_MS = 2_000;

/** Aborted by the first SIGTERM or SIGINT; a later signal ends the process at once. */
export function stopSignal({ stop }: CommandIo): StopSignal {
  if (stop !== null) return { signal: stop, release: () => undefined };
  const controller = new AbortController();
  let firstAtMs: number | null = null;
  const onSignal = (name: NodeJS.Signals): void => {
    firstAtMs ??= performance.now();
    controller.abort();
    if (performance.now() - firstAtMs < REPEAT_AFTER_MS) return;
    release();
    process.kill(process.pid, name);
  };
  const release = (): void => {
    for (const name of SIGNALS) process.off(name, onSignal);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return { signal: controller.signal, release };
}

/**
 * For launchers. In a container the program is process 1, and the kernel ignores a signal that process 1 does not
 * handle. This handler ends the program, as the kernel would end any other process, unless there is another handler.
 */
export function endOnSignalsAsFirstProcess(): void {
  if (process.pid !== 1) return;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (process.listenerCount(name) > 1) return;
      // eslint-disable-next-line no-restricted-properties
      process.exit(128 + constants.signals[name]);
    });
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
