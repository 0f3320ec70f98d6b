/**
 * Every retry of a local activity waits for a durable timer, during which queries are answered. When the SDK's core
 * (1.24) retries within one call instead, the time-out of the failed attempt keeps running and cuts off a later
 * attempt.
 */
export const LOCAL_RETRY = { localRetryThreshold: '1ms' } as const;
