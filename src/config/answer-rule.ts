import { accept, jsonPointer, listOf, noted, printable, refuse } from './formats';
import type { Parser } from './formats';
import { variable } from './variable';
import type { SettingsReader } from './variable';

/** Which of the bank's answers have one given meaning: by HTTP status, or by a code in the body with any status. */
export interface AnswerRule {
  readonly statuses: readonly number[];
  /** `pointer` is a JSON pointer (RFC 6901). */
  readonly code: { readonly pointer: string; readonly values: readonly string[] } | null;
}

const status: Parser<number> = (text) => {
  if (!/^[1-5][0-9]{2}$/.test(text)) return refuse('is not an HTTP status');
  // A bank that refuses with 200 gives a code. A success status here would turn every good answer into a refusal.
  return text.startsWith('2') ? refuse('is a status of success') : accept(Number(text));
};

const statusList: Parser<readonly number[]> = (text) => (text === 'none' ? accept([]) : listOf(status)(text));

const CODE_MAX_LENGTH = 100;

const answerRule = (
  prefix: 'BANK_REFUSED' | 'BANK_NOT_FOUND',
  wording: {
    readonly statuses: string;
    readonly service: string;
    readonly answer: string;
    readonly means: string;
  },
) => ({
  statuses: variable('Bank', `${prefix}_STATUS`, {
    parse: statusList,
    default: wording.statuses,
    allowed: 'HTTP statuses from 100 to 599 without 2xx, comma-separated; or none',
    meaning: `statuses of ${wording.service} that mean "${wording.means}"`,
  }),
  pointer: variable('Bank', `${prefix}_CODE_POINTER`, {
    ...noted(jsonPointer, ` such as /error/code, with ${prefix}_CODES`),
    meaning: `where ${wording.answer} carries its code`,
  }),
  codes: variable('Bank', `${prefix}_CODES`, {
    parse: listOf(printable(CODE_MAX_LENGTH).parse),
    allowed: `codes, comma-separated, with ${prefix}_CODE_POINTER`,
    meaning: `codes of ${wording.service} that mean "${wording.means}", with any HTTP status`,
  }),
});

export const REFUSED = answerRule('BANK_REFUSED', {
  statuses: '400,422',
  service: 'create',
  answer: "a create's answer",
  means: 'not accepted',
});

export const NOT_FOUND = answerRule('BANK_NOT_FOUND', {
  statuses: '404',
  service: 'get-movement',
  answer: "a look-up's answer",
  means: 'not known (yet)',
});

export function readAnswerRule(reader: SettingsReader, rule: typeof REFUSED): AnswerRule {
  const statuses = reader.read(rule.statuses);
  const pointer = reader.read(rule.pointer);
  const values = reader.read(rule.codes);
  reader.needs(rule.pointer, rule.codes);
  reader.needs(rule.codes, rule.pointer);
  return { statuses, code: pointer === null || values === null ? null : { pointer, values } };
}
