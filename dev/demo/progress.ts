import { setTimeout } from 'node:timers/promises';
import { elapsedStamp } from '../elapsed-stamp';
import type { GiroEnvironment } from '../giro-environment';
import { liveTable, plainLines } from './table';

const REFRESH_MS = 400;

export interface Progress {
  /** Prints a line that stays. */
  readonly say: (line: string) => void;
  /** Shows the transfers until `stop`. */
  watch(env: GiroEnvironment): { stop(): Promise<void> };
}

/** Live table on a terminal; plain lines, one for each change, anywhere else. */
export async function openProgress(out: NodeJS.WriteStream): Promise<Progress> {
  const stamp = elapsedStamp();
  if (!out.isTTY) {
    const say = (line: string) => void out.write(`${stamp(line)}\n`);
    const told = new Map<string, string>();
    return {
      say,
      watch: (env) =>
        refreshing(env, (records) => {
          for (const [key, line] of plainLines(records)) {
            if (told.get(key) !== line) say(line);
            told.set(key, line);
          }
        }),
    };
  }
  const { createLogUpdate } = await import('log-update');
  const screen = createLogUpdate(out);
  let shown = '';
  return {
    say: (line) => {
      screen.clear();
      out.write(`${stamp(line)}\n`);
      if (shown !== '') screen(shown);
    },
    watch: (env) => {
      const watching = refreshing(env, (records) => {
        shown = liveTable(records);
        screen(shown);
      });
      return {
        stop: async () => {
          await watching.stop();
          screen.clear();
          shown = '';
        },
      };
    },
  };
}

type Records = Parameters<typeof liveTable>[0];

/** Reads and shows the journal at intervals until stopped, then once more. */
function refreshing(env: GiroEnvironment, show: (records: Records) => void): { stop(): Promise<void> } {
  const ending = new AbortController();
  const read = async () => {
    const records = await env.journal.transfers({ status: null, needsAttention: false, limit: 1_000 });
    show(new Map(records.map((record) => [record.originId, record])));
  };
  const loop = async () => {
    while (!ending.signal.aborted) {
      await read();
      await setTimeout(REFRESH_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
    await read();
  };
  const running = loop();
  // `stop` reports a failure; until then it must not end the process.
  running.catch(() => undefined);
  return {
    stop: () => {
      ending.abort();
      return running;
    },
  };
}
