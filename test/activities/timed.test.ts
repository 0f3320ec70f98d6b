import { timed } from '../../src/activities/timed';
import type { Seen } from '../../src/activities/timed';

const SEEN = { events: 12, hints: 1, decisions: 0, isCancelled: false } as const;
const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const TOOK_MS = 40;

/** A step that the worker was given `givenMs` after the run saw the engine's clock, by the worker's own clock. */
async function told(givenMs: number, engineMs = NOW) {
  const seen: Seen = { ...SEEN, engineMs };
  const step = timed(
    (status: string) => {
      jest.advanceTimersByTime(TOOK_MS);
      return Promise.resolve({ status });
    },
    () => Date.now(),
  );
  jest.setSystemTime(engineMs + givenMs);
  return step('CREATED', seen);
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

describe('a local activity tells', () => {
  it('its result, and what the run had seen', async () => {
    expect(await told(5)).toMatchObject({ status: 'CREATED', seen: { ...SEEN, engineMs: NOW } });
  });

  it.each([
    { worker: 'at the same time', givenMs: 5 },
    { worker: 'whose clock is a little ahead', givenMs: 900 },
    { worker: 'whose clock is behind', givenMs: -60_000 },
    { worker: 'of a server that skips time', givenMs: -86_400_000 },
  ])("the engine's time and how long it took, by a worker $worker", async ({ givenMs }) => {
    expect((await told(givenMs)).atMs).toBe(NOW + TOOK_MS);
  });

  it('no time that is long over, when it was kept up by retries or by a lost worker', async () => {
    expect((await told(240_000)).atMs).toBe(NOW + 240_000 + TOOK_MS);
  });

  it('nothing but time and what was seen, when it has no result', async () => {
    const seen: Seen = { ...SEEN, engineMs: NOW };
    expect(
      Object.keys(
        await timed(
          () => Promise.resolve(),
          () => NOW,
        )(null, seen),
      ),
    ).toEqual(['atMs', 'seen']);
  });
});
