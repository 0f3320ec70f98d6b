import { well, wrong } from './check-result';
import type { Judgement } from './check-result';
import type { HttpOutcome } from '../bank/http/http-outcome';

/** How a wrong token or signature changes the bank's answer. */
export interface Influence {
  readonly token: boolean;
  /** Null: requests are not signed. */
  readonly signature: boolean | null;
  readonly path: boolean;
}

/** The bank's answer is one that the configuration lists as "no such movement". */
export function judgeNotFound(status: number, influence: Influence): Judgement {
  const { token, signature, path } = influence;
  const unknown = `knows nothing of an originId that does not exist (HTTP ${status})`;
  if (token && signature !== false) {
    const how = signature === null ? 'the token' : 'token and signature';
    const doubt = path ? '' : '; it answers a path that does not exist in the same way';
    return well(`the bank accepts ${how}, and ${unknown}${doubt}`);
  }
  const blind = notLookedAt(influence);
  // Any other status could refuse both requests, the right one and the wrong one.
  if (status !== 404)
    return wrong(
      `a wrong ${blind} gets HTTP ${status} too: BANK_NOT_FOUND_… may list the refusal of a wrong ${blind} as "not known"`,
      `ask the bank what HTTP ${status} means; ${remedyOf(influence)}`,
    );
  if (!path)
    return wrong(
      `a wrong ${blind} gets HTTP ${status} too, and so does a path that does not exist: nothing shows that this answer is about a movement`,
      `check the path of BANK_BASE_URL; if it is right, ask the bank whether it checks the ${blind} there`,
    );
  return well(
    `the bank ${unknown}, but says so with a wrong ${blind} too: whether the ${blind} is right remains open`,
  );
}

/**
 * The bank answers 4xx other than 429, or 2xx without a movement, and by the configuration the answer does not count as
 * "not known".
 */
export function judgeRefusal(status: number, influence: Influence): Judgement {
  const { token, signature, path } = influence;
  const isAccess = status === 401 || status === 403;
  // The path is in doubt only if no change of the request changes the answer. If a wrong token or signature does change
  // the answer, ours are right, and the bank may merely check them before it looks at the path.
  if (!path && !isAccess && !token && signature !== true)
    return wrong(
      `every request gets HTTP ${status}, also one with a wrong ${notLookedAt(influence)}, and one for a path that does not exist`,
      `check the path of BANK_BASE_URL; else ${TOKEN_REMEDY}`,
    );
  if (token && signature === null)
    return wrong(`the bank accepts the token and refuses the request (HTTP ${status})`, ASK_BANK_UNSIGNED);
  if (signature === null) return wrong(`the bank refuses the token (HTTP ${status})`, TOKEN_REMEDY);
  if (token && !signature)
    return wrong(`the bank accepts the token and refuses the signature (HTTP ${status})`, SIGNATURE_REMEDY);
  if (signature && !token)
    return wrong(`the bank accepts the signature and refuses the token (HTTP ${status})`, TOKEN_REMEDY);
  if (!token)
    return wrong(
      `the bank refuses the request (HTTP ${status}) as it does a wrong token: most likely the token; its answers do not tell token and signature apart`,
      `${TOKEN_REMEDY}; then BANK_HMAC_…`,
    );
  if (isAccess)
    return wrong(
      `the bank accepts token and signature and refuses the request (HTTP ${status})`,
      'ask the bank what this client is allowed to do',
    );
  return wrong(
    `the bank accepts token and signature, but BANK_NOT_FOUND_… does not list its answer for an originId that does not exist (HTTP ${status}): Giro would never recognise that the bank does not know a transfer`,
    'check the path of BANK_BASE_URL; set BANK_NOT_FOUND_STATUS, or _CODE_POINTER and _CODES, to how the bank says it',
  );
}

const notLookedAt = ({ token, signature }: Influence): string =>
  [...(token ? [] : ['token']), ...(signature === false ? ['signature'] : [])].join(' or ');

const remedyOf = ({ token }: Influence): string => (token ? SIGNATURE_REMEDY : TOKEN_REMEDY);

const TOKEN_REMEDY = 'check the token and BANK_AUTH_STYLE_TRANSFERS (raw or bearer)';
const SIGNATURE_REMEDY =
  'check BANK_HMAC_SECRET_FILE, BANK_HMAC_SCHEME, the other BANK_HMAC_… variables, and the clock';
const ASK_BANK_UNSIGNED =
  'does the bank want signatures (BANK_HMAC_SECRET_FILE)? Else ask what this client may do, and how it says that it knows no such movement (BANK_NOT_FOUND_…)';

export type Answer = Extract<HttpOutcome, { kind: 'response' }>;

/** Compare only the beginning: pages can be long. */
const COMPARED_MAX_BYTES = 16_384;

/** Meaningless differences between any two answers: times of day, dates, long numbers, hex ids. */
const PASSING = /[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?|[0-9a-f-]{8,}/gi;

/**
 * Whether an answer differs in meaning from two answers to the same request. Words in which those two differ (request
 * ids, counters) are ignored. Every other word counts, even short numbers, since some banks give their reasons as
 * numbers. If the two have different structure, only the status counts. `ours`: words of our requests, which the bank
 * may only repeat.
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
