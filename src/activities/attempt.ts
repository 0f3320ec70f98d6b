import { asyncLocalStorage } from '@temporalio/activity';

/** Which try of the step this is, from 1; outside of Temporal 1. */
export const attemptOfStep = (): number => asyncLocalStorage.getStore()?.info.attempt ?? 1;
