/**
 * Runs all cases at once, before the tests, because most of their time is waiting; each test awaits its own case and
 * reports its outcome. Call it after the hooks that the cases need.
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
