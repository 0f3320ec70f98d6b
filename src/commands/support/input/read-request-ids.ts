import { REQUEST_ID_RULE, isRequestId } from '../../../domain/verification/request-id';
import { InputError } from '../../../program/exit-codes';

/** Further bad entries are counted. */
const BAD_SHOWN = 20;

/**
 * The requestIds of an input: one a line, or a JSON array of texts or of objects `{"requestId"}`. The same id again
 * counts once, because tracking it twice is tracking it once.
 *
 * @throws InputError that names the place of each bad entry, without its text
 */
export function readRequestIds(text: string): readonly string[] {
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
    throw new InputError('the input begins like a JSON array and is none');
  }
  if (!Array.isArray(array) || array.length === 0) throw new InputError('the array has no requestIds');
  return array.map((entry: unknown, i) => ({ place: `entry ${i + 1}`, value: idIn(entry) }));
}

const idIn = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'requestId' in entry ? entry.requestId : entry;
