/** Where the access token comes from. Rejections are not inspected: the call ends as `CREDENTIALS`, not sent. */
export interface TokenSource {
  token(): Promise<string>;
  /**
   * After a 401: a token other than `stale`, fetched once for all callers that ask at the same time. A source that
   * has no other one returns the same, and the call is not repeated, since it would be the same call.
   */
  renew(stale: string): Promise<string>;
}

/** `BANK_TOKEN`: one token for the life of the process. */
export function staticToken(value: string): TokenSource {
  return {
    token: () => Promise.resolve(value),
    renew: () => Promise.resolve(value),
  };
}
