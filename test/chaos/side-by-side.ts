/**
 * Runs all cases at once before the tests, because they spend most of their time waiting. Each test then awaits its
 * case and reports the outcome. Call it after the hooks that the cases need.
 */
export function sideBySide<Case, Ended>(
  cases: readonly Case[],
  play: (it: Case) => Promise<Ended>,
): (it: Case) => Promise<Ended> {
  const plays = new Map<Case, Promise<Ended>>();
  beforeAll(() => {
    for (const it of cases) {
      const playing = play(it);
      playing.catch(() => undefined);
      plays.set(it, playing);
    }
  });
  return (it) => {
    const playing = plays.get(it);
    return playing ?? Promise.reject(new Error('cases are played only while tests run'));
  };
}
