import { meaningOf } from './status-map';
import type { StatusMap } from './status-map';

const WORDS_OF_LETTERS = /^[\p{L} ]{1,40}$/u;

/**
 * The form in which a verification's status may be written down: as it came (without outer spaces) when it is at most
 * 40 letters and spaces, or a word of the map, which the operator wrote; otherwise `UNREADABLE` and a short hash,
 * because a status could carry personal text (contract 4.4).
 */
export function recordableWord(word: string, map: StatusMap, shortHash: (text: string) => string): string {
  const text = word.trim().normalize('NFC');
  return WORDS_OF_LETTERS.test(text) || meaningOf(map, text) !== null
    ? text
    : `UNREADABLE_${shortHash(word)}`;
}
