/** The source of the access token. If a method rejects, for any reason, the call ends as `CREDENTIALS`, not sent. */
export interface TokenSource {
  readonly token: () => Promise<string>;
  /**
   * After a 401: returns a token other than `stale`, fetched once for all concurrent callers. If the source has no
   * other token, returns `stale`; then the call is not repeated.
   */
  readonly renew: (stale: string) => Promise<string>;
  /** The bank has accepted the token in a call, so a later 401 means that the token has expired. */
  readonly accepted?: (token: string) => void;
}

/** `BANK_TOKEN`: one token for the life of the process. */
export function staticToken(value: string): TokenSource {
  return {
    token: () => Promise.resolve(value),
    renew: () => Promise.resolve(value),
  };
}

/**
 * `BANK_TOKEN_FILE`: read for each call, so that a changed file counts at once. `read` throws when the file has no
 * usable token; `onProblem` is called once for each new reason.
 */
export function fileToken(read: () => string, onProblem: (reason: string) => void): TokenSource {
  let problem: string | null = null;
  const token = async (): Promise<string> => {
    try {
      const text = await Promise.resolve(read());
      problem = null;
      return text;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unreadable';
      if (reason !== problem) onProblem(reason);
      problem = reason;
      throw error;
    }
  };
  return { token, renew: token };
}
