import { asyncLocalStorage } from '@temporalio/activity';

/** The number of this try of the step, from 1; outside of Temporal always 1. */
export const attemptOfStep = (): number => asyncLocalStorage.getStore()?.info.attempt ?? 1;
