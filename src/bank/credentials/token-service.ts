import type { HttpOutcome } from '../http/http-outcome';
import { readTokenAnswer } from './token-answer';
import type { TokenAnswerShape } from './token-answer';
import type { TokenSource } from './token-source';

/** Notices for operators; they contain no secret. */
export type TokenServiceNotice =
  | { readonly kind: 'fetched'; readonly lifeMs: number | null; readonly afterFailure: boolean }
  | {
      readonly kind: 'failed';
      /** A code: how the exchange or its answer failed. */
      readonly failure: string;
      readonly httpStatus: number | null;
      /** No further request to the service before that time. */
      readonly retryInMs: number;
    };

export interface TokenServiceOptions extends TokenAnswerShape {
  /** One POST to the service, with its own deadline. A rejection counts as a failure. */
  readonly request: () => Promise<HttpOutcome>;
  readonly onNotice?: (notice: TokenServiceNotice) => void;
  /** Monotonic, in ms: a clock that is set cannot make a token look old or young. Default `performance.now`. */
  readonly nowMs?: () => number;
  /** In [0, 1). */
  readonly random?: () => number;
}

/** A token is renewed after this part of its lifetime, while it is still valid for calls in between. */
const RENEW_AT = 0.8;
const BACK_OFF_FIRST_MS = 1_000;
const BACK_OFF_MAX_MS = 30_000;
interface Held {
  readonly token: string;
  readonly fetchedAtMs: number;
  readonly lifeMs: number | null;
  /** The bank has accepted the token in a call. */
  wasAccepted: boolean;
}

/**
 * Tokens of a token service. The first call fetches a token, once for all waiting callers. The token is renewed after
 * 80 % of its lifetime, and after a 401. After a failure, no request is made for a growing time (1 s to 30 s, with
 * jitter). Meanwhile an unexpired token stays in use; without one, every caller is refused at once.
 */
export function createTokenService(options: TokenServiceOptions): TokenSource {
  const { nowMs = () => performance.now(), random = Math.random, onNotice = () => undefined } = options;
  let held: Held | null = null;
  let flight: Promise<string> | null = null;
  let failures = 0;
  /** Renewals after a 401, in a row, whose tokens were never accepted. */
  let refusals = 0;
  let notBeforeMs = -Infinity;

  const spread = (count: number): number =>
    Math.min(BACK_OFF_FIRST_MS * 2 ** Math.min(count - 1, 10), BACK_OFF_MAX_MS) * (0.75 + random() / 2);

  async function fetchOnce(): Promise<string> {
    // The lifetime counts from before the request, because the answer may have taken long.
    const startedAtMs = nowMs();
    const outcome = await options.request().catch(() => null);
    const answer =
      outcome === null
        ? ({ ok: false, failure: 'NOT_ASKED', httpStatus: null } as const)
        : readTokenAnswer(outcome, options);
    if (!answer.ok) {
      failures += 1;
      const retryInMs = Math.round(spread(failures));
      notBeforeMs = nowMs() + retryInMs;
      const { failure, httpStatus } = answer;
      onNotice({ kind: 'failed', failure, httpStatus, retryInMs });
      throw new Error(`token service: ${failure}`);
    }
    held = { token: answer.token, fetchedAtMs: startedAtMs, lifeMs: answer.lifeMs, wasAccepted: false };
    onNotice({ kind: 'fetched', lifeMs: answer.lifeMs, afterFailure: failures > 0 });
    failures = 0;
    return answer.token;
  }

  /** One request for all callers; during the back-off they are refused at once. */
  function fetchToken(): Promise<string> {
    if (flight !== null) return flight;
    if (nowMs() < notBeforeMs) return Promise.reject(new Error('token service: left alone after a failure'));
    flight = fetchOnce().finally(() => (flight = null));
    return flight;
  }

  const usedUp = ({ fetchedAtMs, lifeMs }: Held): number =>
    lifeMs === null ? 0 : (nowMs() - fetchedAtMs) / lifeMs;

  return {
    token() {
      if (held === null || usedUp(held) >= 1) return fetchToken();
      // An early renewal: nobody waits for it, and the notice reports its failure.
      if (usedUp(held) >= RENEW_AT) fetchToken().catch(() => undefined);
      return Promise.resolve(held.token);
    },

    renew(stale) {
      if (held !== null && held.token !== stale) return Promise.resolve(held.token);
      if (held !== null && flight === null) {
        // The bank accepted the token for a while, so the token has expired there: fetch the next one at once. At most
        // once a second, because a bank may accept a token for one service and refuse it for another.
        if (held.wasAccepted) refusals = Math.min(refusals, 1);
        // If the bank refuses every new token, do not flood the token service. Calls in between use this token, and
        // their 401s flag the transfers (BANK_UNAUTHORIZED).
        if (refusals > 0 && nowMs() - held.fetchedAtMs < spread(refusals)) return Promise.resolve(stale);
        refusals += 1;
      }
      // Do not use this token again, even without another token. A create that is answered 401 has an unknown outcome;
      // a create without a token was surely not sent.
      held = null;
      return fetchToken();
    },

    accepted(token) {
      if (held?.token === token) held.wasAccepted = true;
    },
  };
}
