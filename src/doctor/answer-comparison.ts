import type { HttpOutcome } from '../bank/http/http-outcome';

export type Answer = Extract<HttpOutcome, { kind: 'response' }>;

/** Looked at: pages can be long, and the first of them tells. */
const COMPARED_MAX_BYTES = 16_384;

/** What differs between any two answers and says nothing: times of day, dates, and long numbers or hex ids. */
const PASSING = /[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?|[0-9a-f-]{8,}/gi;

/**
 * Tells whether an answer says something other than those to one question that was asked twice. Words in which these
 * two differ (ids of requests, counters) are left out of the comparison; every other word counts, short numbers too,
 * since some banks write their reasons as numbers. When the two have not one form, only the status counts. `ours`:
 * words of the questions, which the bank may only repeat.
 */
export function differsFrom(one: Answer, again: Answer, ours: readonly string[]): (other: Answer) => boolean {
  if (one.head.status !== again.head.status) return () => false;
  const wordsOf = (answer: Answer): readonly string[] =>
    textOf(answer)
      .match(WORD)
      ?.map((word) => (ours.some((own) => word.includes(own)) ? '#' : word)) ?? [];
  const [words, wordsAgain] = [wordsOf(one), wordsOf(again)];
  const haveOneForm = words.length === wordsAgain.length;
  return (other) => {
    if (other.head.status !== one.head.status) return true;
    if (!haveOneForm) return false;
    const otherWords = wordsOf(other);
    return (
      otherWords.length !== words.length ||
      words.some((word, i) => word === wordsAgain[i] && word !== otherWords[i])
    );
  };
}

const WORD = /[^\s"'<>{}[\],;]+/g;

const textOf = ({ body }: Answer): string =>
  Buffer.from(body).subarray(0, COMPARED_MAX_BYTES).toString('latin1').replace(PASSING, '#');
