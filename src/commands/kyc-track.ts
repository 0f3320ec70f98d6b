import { GiroClient } from '../client/giro-client';
import { isRequestId, REQUEST_ID_RULE } from '../domain/verification/request-id';
import { durationArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { highest, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import { readInputText } from './support/input/read-text';
import type { CommandIo } from '../program/io';
import { alignedTable, note, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';
import { trackAll, waitForOutcomes } from './support/track-verifications';
import type { TrackReport } from './support/track-verifications';

interface TrackOptions {
  readonly file?: string;
  readonly wait?: boolean;
  /** ms */
  readonly timeout?: number;
  readonly json?: boolean;
}

/** A lost server is reported within about ten seconds. */
const CALL_TIMEOUT_MS = 8_000;

export const addKycTrack: AddCommand = (parent, { io, end }) => {
  parent
    .command('track')
    .description('track identity verifications until the bank reports a final status')
    .argument('[request-id...]', "the bank's requestIds")
    .option('--file <file>', 'read them from a file, one on each line or a JSON array; - for stdin')
    .option(
      '--wait',
      'wait for the outcomes once all are tracked; exit code 0: all approved, 3: one was rejected or stopped',
    )
    .option('--timeout <duration>', 'with --wait: at most that long, e.g. 10m30s', durationArgument)
    .option('--json', 'print a JSON object, or an array for several')
    .action(async (ids: readonly string[], options: TrackOptions) => {
      end(await runCommand(io, () => track(io, ids, options)));
    });
};

async function track(io: CommandIo, ids: readonly string[], options: TrackOptions): Promise<ExitCode> {
  if (options.timeout !== undefined && options.wait !== true) {
    throw new InputError('--timeout is the time to wait: it needs --wait');
  }
  const requestIds = await readIds(io, ids, options.file);
  return withContext(io, ['temporal'], async ({ temporal }) => {
    const { taskQueue } = temporal.config;
    const giro = new GiroClient({ client: temporal.client, taskQueue, callTimeoutMs: CALL_TIMEOUT_MS });
    const tracked = await trackAll(giro, requestIds);
    const ends =
      options.wait === true ? await waitForOutcomes(giro, tracked, options.timeout ?? null) : tracked;
    const reports = ends.map(({ report }) => report);
    for (const { error } of reports) if (error !== undefined) note(io, `giro: ${error.message}`);
    if (options.json !== true) printLines(io, asTable(reports));
    else printJson(io, requestIds.length === 1 ? reports[0] : reports);
    return highest(ends.map(({ code }) => code));
  });
}

async function readIds(io: CommandIo, ids: readonly string[], file?: string): Promise<readonly string[]> {
  if ((file === undefined) === (ids.length === 0)) {
    throw new InputError('give requestIds, or a file of them with --file');
  }
  if (file !== undefined) return readRequestIds(await readInputText(file, io.stdin));
  if (!ids.every(isRequestId)) throw new InputError(`a requestId ${REQUEST_ID_RULE}; nothing was started`);
  return [...new Set(ids)];
}

function asTable(reports: readonly TrackReport[]): string[] {
  return alignedTable(
    ['REQUEST ID', 'TRACKING', 'OUTCOME', 'STATUS', 'STATUS DATE'],
    reports.map(({ requestId, started, result, error }) => [
      requestId,
      trackingWord(started, error !== undefined),
      result?.outcome ?? (result === null ? 'open' : '-'),
      orDash(result?.status ?? null),
      orDash(result?.statusDate ?? null),
    ]),
  );
}

function trackingWord(started: boolean | null, hasFailed: boolean): string {
  if (started === null) return hasFailed ? 'not known' : '-';
  return started ? 'started' : 'already there';
}

/** Further bad entries are only counted. */
const BAD_SHOWN = 20;

/**
 * The requestIds of an input: one on each line, or a JSON array of strings or of objects `{"requestId"}`. A repeated id
 * counts once.
 *
 * @throws InputError that names the place of each bad entry, without its text
 */
function readRequestIds(text: string): readonly string[] {
  const entries = text.trimStart().startsWith('[') ? fromArray(text) : fromLines(text);
  const bad = entries.filter(({ value }) => !isRequestId(value)).map(({ place }) => place);
  if (bad.length > 0) {
    const rest = bad.length > BAD_SHOWN ? ` and ${bad.length - BAD_SHOWN} more` : '';
    throw new InputError(
      `${bad.slice(0, BAD_SHOWN).join(', ')}${rest}: a requestId ${REQUEST_ID_RULE}; nothing was started`,
    );
  }
  return [...new Set(entries.map(({ value }) => value as string))];
}

interface Entry {
  readonly place: string;
  readonly value: unknown;
}

function fromLines(text: string): Entry[] {
  return text
    .split('\n')
    .map((line, i) => ({ place: `line ${i + 1}`, value: line.trim() }))
    .filter(({ value }) => value !== '');
}

function fromArray(text: string): Entry[] {
  let array: unknown;
  try {
    array = JSON.parse(text);
  } catch {
    throw new InputError('the input begins like a JSON array, but is not one');
  }
  if (!Array.isArray(array) || array.length === 0) throw new InputError('the array has no requestIds');
  return array.map((entry: unknown, i) => ({ place: `entry ${i + 1}`, value: idIn(entry) }));
}

const idIn = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'requestId' in entry ? entry.requestId : entry;
