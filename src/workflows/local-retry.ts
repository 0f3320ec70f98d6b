/**
 * Every retry of a local activity goes through a durable timer. When the SDK's core (1.24)
 * retries within one call, the time-out of the failed attempt keeps running and cuts off a later attempt. Queries are
 * answered during the durable timer too.
 */
export const LOCAL_RETRY = { localRetryThreshold: '1ms' } as const;
