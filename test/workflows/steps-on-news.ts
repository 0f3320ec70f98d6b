/** What a step of the fixture returns: its worker, and the length of the history with which its run started it. */
export interface StepResult {
  readonly worker: string;
  readonly events: number;
}

export type Step = (events: number) => Promise<StepResult>;
