import { PassThrough, Readable, Writable } from 'node:stream';
import type { Env } from '../../../src/config/env';
import type { CommandIo } from '../../../src/program/io';
import { main } from '../../../src/starter';

export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  /** Output for people; log lines are separate. */
  readonly stderr: string;
  readonly log: readonly Readonly<Record<string, unknown>>[];
}

export interface CommandInput {
  readonly env?: Env;
  readonly stdin?: string | Buffer;
  readonly stderrIsTerminal?: boolean;
  /** Ends a long-running command; default: at once. */
  readonly stop?: AbortSignal;
  readonly overrides?: CommandIo['overrides'];
}

/** Addresses where nothing listens: a command that calls a server ends with 4. */
export const NO_SERVERS: Env = {
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  DATABASE_URL: 'postgres://someone:swordfish@127.0.0.1:1/giro',
};

/** Runs `giro ARGS` in this process. */
export async function giro(args: readonly string[], input: CommandInput = {}): Promise<CommandEnd> {
  const stdout = collect();
  const stderr = collect();
  const log = collect();
  const stdin =
    input.stdin === undefined ? new PassThrough().end() : Readable.from([Buffer.from(input.stdin)]);
  const code = await main(args, {
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    stderrIsTerminal: input.stderrIsTerminal ?? false,
    logDestination: log.stream,
    env: () => input.env ?? NO_SERVERS,
    stop: input.stop ?? AbortSignal.abort(),
    ...(input.overrides === undefined ? {} : { overrides: input.overrides }),
  });
  return {
    code,
    stdout: stdout.text(),
    stderr: stderr.text(),
    log: log.text().trim().split('\n').filter(Boolean).map(toLine),
  };
}

const toLine = (line: string) => JSON.parse(line) as Readonly<Record<string, unknown>>;

function collect(): { stream: Writable; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}
