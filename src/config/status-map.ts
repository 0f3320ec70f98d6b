import { MEANINGS, foldWord, statusMap } from '../domain/verification/status-map';
import type { MappedWord, StatusMap } from '../domain/verification/status-map';
import { LIST_MAX_ENTRIES, accept, refuse } from './formats';
import type { Parser } from './formats';

const WORD_MAX = 40;

/** `word=pending|approved|rejected`, comma-separated. Entries are named by their place. */
export const statusMapText: Parser<StatusMap> = (text) => {
  const entries = text.split(',');
  if (entries.length > LIST_MAX_ENTRIES) return refuse(`has more than ${LIST_MAX_ENTRIES} entries`);
  const words: MappedWord[] = [];
  const reasons: string[] = [];
  entries.forEach((entry, i) => {
    const read = readEntry(entry);
    if (typeof read === 'string') reasons.push(`entry ${i + 1} ${read}`);
    else words.push(read);
  });
  if (reasons.length > 0) return refuse(reasons.join(', '));
  const read = statusMap(words);
  if (read.ok) return accept(read.map);
  const [first, second] = read.ambiguous.map((word) => JSON.stringify(word));
  return refuse(`is ambiguous: ${first ?? ''} and ${second ?? ''} are one word with two meanings`);
};

function readEntry(entry: string): MappedWord | string {
  const end = entry.lastIndexOf('=');
  if (end === -1) return 'has no meaning';
  const word = entry.slice(0, end).trim();
  const meaning = MEANINGS.find((candidate) => candidate === entry.slice(end + 1).trim());
  if (meaning === undefined) return `means none of ${MEANINGS.join(', ')}`;
  if (word.length > WORD_MAX) return `has a word of more than ${WORD_MAX} characters`;
  if (/\p{Cc}/u.test(word)) return 'has control characters';
  return foldWord(word) === '' ? 'has no word' : { word, meaning };
}
