/**
 * Longest that the journal's answer to a claim is waited for; the request of a claim begins only with that answer, so
 * it may begin this long after the moment that the journal noted. The journal's connections keep to it.
 */
export const CLAIM_ANSWER_MS = 7_000;
