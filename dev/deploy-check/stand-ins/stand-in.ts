import type { NodeEnv } from '../../node-env';

/** An image that is built here when the one of its name cannot be had. */
export interface StandIn {
  /** The image's name without its tag. */
  readonly repository: string;
  /** What it is made of, for the person who reads the output. */
  readonly madeOf: string;
  /** Puts into `folder` what the Dockerfile copies. */
  readonly prepare: (folder: string, tools: StandInTools) => Promise<void>;
  readonly dockerfile: string;
}

export interface StandInTools {
  readonly env: NodeEnv;
  readonly log: (line: string) => void;
}
