import { workflowInfo } from '@temporalio/workflow';

/** When a run is continued as new: replays stay short, histories small. */
export interface RunBounds {
  readonly polls: number;
  readonly events: number;
}

/** The run has made so many polls, or its history has grown so long, or the engine asks for a new one. */
export function isLongRun(polls: number, bounds: RunBounds): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return polls >= bounds.polls || historyLength >= bounds.events || continueAsNewSuggested;
}
