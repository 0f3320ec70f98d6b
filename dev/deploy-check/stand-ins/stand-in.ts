import type { NodeEnv } from '../../node-env';

/** An image that is built when the image of this name cannot be pulled. */
export interface StandIn {
  /** The image's name without its tag. */
  readonly repository: string;
  /** The image's origin, printed. */
  readonly madeOf: string;
  /** Puts the files that the Dockerfile copies into `folder`. */
  readonly prepare: (folder: string, tools: StandInTools) => Promise<void>;
  readonly dockerfile: string;
}

export interface StandInTools {
  readonly env: NodeEnv;
  readonly log: (line: string) => void;
}
