import type { SignableRequest } from '../../signing/signable-request';
import type { WireRequest } from '../dialect';
import type { BaseUrl } from '../http/base-url';
import type { HttpOutcome, HttpTransport } from '../http/http-outcome';
import { isRedirect, NO_CREDENTIALS, TOO_LATE } from '../http/request-error';
import type { Departures, Permit } from '../limiter/limiter';
import type { RequestContext } from '../movements/port';
import { isUsableToken } from './token-answer';
import type { TokenSource } from './token-source';

export type AuthStyle = 'raw' | 'bearer';

/** Returns the headers with the signature. Called again for a repetition, because a nonce is valid once. */
export type RequestSigner = (request: SignableRequest) => Promise<Readonly<Record<string, string>>>;

export interface Caller {
  readonly transport: HttpTransport;
  readonly baseUrl: BaseUrl;
  readonly tokens: TokenSource;
  readonly authStyle: AuthStyle;
  /** Null: requests are not signed. */
  readonly signer: RequestSigner | null;
  /** Gives a permit to a call without one, so that no call bypasses the limiter. */
  readonly nextPermit?: (() => Promise<Permit>) | undefined;
}

export interface Call extends WireRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Covers the token, the call and its repetition. */
  readonly timeoutMs: number;
  /** The limiter's, if it admitted the request. */
  readonly permit?: Departures | undefined;
  /** As in `RequestContext`. */
  readonly leaveWithinMs?: (() => number) | undefined;
}

export type CallEnd =
  | {
      readonly kind: 'called';
      readonly outcome: HttpOutcome;
      /** The first call was answered 401. */ readonly repeated: boolean;
    }
  /** Nothing was sent: no usable token was available in time, or the request may no longer leave. */
  | { readonly kind: 'not-called'; readonly error: typeof NO_CREDENTIALS };

/** Calls one service of the bank, with the credentials and headers that the service requires. */
export type ServiceCall = (
  request: WireRequest,
  timeoutMs: number,
  context: RequestContext,
) => Promise<CallEnd>;

/**
 * Calls with a token. After a 401, renews the token and repeats the call once, with the same bytes and a new signature.
 * Both calls count as one request, and share one deadline. Without another token, does not repeat.
 */
export async function callWithToken(caller: Caller, call: Call): Promise<CallEnd> {
  if (call.permit !== undefined || caller.nextPermit === undefined)
    return callUnder(call.permit, caller, call);
  const permit = await caller.nextPermit();
  try {
    return await callUnder(permit, caller, call);
  } finally {
    permit.release();
  }
}

async function callUnder(permit: Departures | undefined, caller: Caller, call: Call): Promise<CallEnd> {
  const body = call.body === null ? null : Buffer.from(call.body, 'utf8');
  const endsAt = performance.now() + call.timeoutMs;
  const remainingMs = () => Math.ceil(endsAt - performance.now());

  const token = await usable(() => caller.tokens.token(), remainingMs());
  if (token === null || remainingMs() <= 0) return { kind: 'not-called', error: NO_CREDENTIALS };
  const first = await send(token);
  if (first === null) return { kind: 'not-called', error: TOO_LATE };
  if (isAccepted(first)) caller.tokens.accepted?.(token);
  // A 401 means that the bank refused this token, even if the rest of the answer was lost.
  if (first.head?.status !== 401) return { kind: 'called', outcome: first, repeated: false };

  const renewed = await usable(() => caller.tokens.renew(token), remainingMs());
  if (renewed === null || renewed === token || remainingMs() <= 0) {
    return { kind: 'called', outcome: first, repeated: false };
  }
  await permit?.repeat();
  if (remainingMs() <= 0) return { kind: 'called', outcome: first, repeated: false };
  const second = await send(renewed);
  if (second === null) return { kind: 'called', outcome: first, repeated: false };
  if (isAccepted(second)) caller.tokens.accepted?.(renewed);
  return { kind: 'called', outcome: second, repeated: true };

  /** Null: it is too late, and nothing was sent. */
  async function send(bearer: string): Promise<HttpOutcome | null> {
    const path = `${caller.baseUrl.prefix}${call.path}`;
    const search = call.query === '' ? '' : `?${call.query}`;
    const signature = await caller.signer?.({
      method: call.method,
      url: `${caller.baseUrl.origin}${path}${search}`,
      path,
      query: call.query,
      body: body ?? Buffer.alloc(0),
    });
    const withinMs = Math.min(remainingMs(), Math.ceil(call.leaveWithinMs?.() ?? Infinity));
    if (withinMs <= 0) return null;
    const outcome = await caller.transport.send({
      method: call.method,
      path: `${call.path}${search}`,
      headers: {
        ...call.headers,
        ...signature,
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
        Accept: 'application/json',
        Authorization: caller.authStyle === 'bearer' ? `Bearer ${bearer}` : bearer,
      },
      body,
      timeoutMs: withinMs,
      onWritten: () => permit?.left(),
    });
    // Without a connection nothing was written, but the call still counts as made.
    permit?.left();
    return outcome;
  }
}

/** The bank processed the request, so it accepted the token. An overload or a redirect does not prove that. */
function isAccepted(outcome: HttpOutcome): boolean {
  if (outcome.kind !== 'response') return false;
  const { status } = outcome.head;
  return status < 500 && !isRedirect(status) && ![401, 403, 429].includes(status);
}

/** The token; null: the source failed, was too slow, or returned something that is not a valid header value. */
async function usable(fetchToken: () => Promise<string>, waitMs: number): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), waitMs);
  });
  try {
    const token = await Promise.race([fetchToken(), tooLate]);
    return token !== null && isUsableToken(token) ? token : null;
  } catch {
    // The source's error may quote the answer, so it is dropped.
    return null;
  } finally {
    clearTimeout(timer);
  }
}
