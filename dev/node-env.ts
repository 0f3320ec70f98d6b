/** The variables of a process, as `process.env` has them. */
export type NodeEnv = Readonly<Record<string, string | undefined>>;
