/**
 * Every retry of a local activity goes through a durable timer. Within one call the SDK's core (1.24) starts a timer for
 * the time-out of each attempt and, at a retry, does not stop the one of the attempt before: it would end a later attempt
 * early. Queries are answered during the wait too.
 */
export const LOCAL_RETRY = { localRetryThreshold: '1ms' } as const;
