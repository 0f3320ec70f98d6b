import { asyncLocalStorage } from '@temporalio/activity';

/** Which try of the step this is, from 1; outside of the engine the first. */
export const attemptOfStep = (): number => asyncLocalStorage.getStore()?.info.attempt ?? 1;
