/** What `setup` makes is not there, or not as this version needs it. */
export class SetupMissing extends Error {
  override readonly name = 'SetupMissing';

  constructor(readonly problems: readonly string[]) {
    super(`${problems.map((problem) => problem.replace(/: run setup$/, '')).join('; ')}: run setup`);
  }
}
