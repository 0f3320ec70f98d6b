import { endingsOf } from '../../dev/explore/endings';
import { ALPHABET } from '../../dev/explore/events';
import { keyOf } from '../../dev/explore/state-key';
import { newWorld } from '../../dev/explore/world';
import type { World } from '../../dev/explore/world';

/**
 * Refused credentials write one more line of flags, and so does a run that is lost one event earlier: both lead to
 * the same state. A hint brings the next request forward: then less time passes, and a separate event ends the hour.
 */
const EVENTS = ALPHABET.filter(({ name }) => !name.endsWith('401') && name !== 'a hint');

const after = (world: World): readonly World[] =>
  EVENTS.flatMap(({ apply: applied }) => {
    const course = applied(world);
    return course === null ? [] : endingsOf(world, course).map((ending) => ending.world);
  });

/** Keys that one event leads to, other than the world's own. */
const futureOf = (world: World): ReadonlySet<string> => {
  const keys = new Set(after(world).map(keyOf));
  keys.delete(keyOf(world));
  return keys;
};

const isOver = ({ journal, truth }: World): boolean => journal.result !== null || truth.isLossUnknown;

/**
 * Pairs of worlds with one key, within two events of the start: the first world with the key, and a later one. Every
 * `every`-th pair.
 */
function alikes(every: number): readonly (readonly [World, World])[] {
  const first = new Map<string, World>();
  const pairs: (readonly [World, World])[] = [];
  const visit = (world: World): boolean => {
    const key = keyOf(world);
    const known = first.get(key);
    if (known === undefined) first.set(key, world);
    else if (!isOver(world)) pairs.push([known, world]);
    return known === undefined && !isOver(world);
  };
  const start = newWorld();
  visit(start);
  for (const world of after(start).filter(visit)) after(world).forEach(visit);
  return pairs.filter((_, index) => index % every === 0);
}

it('worlds of one key have the same future', () => {
  const pairs = alikes(10);
  expect(pairs.length).toBeGreaterThan(20);
  for (const [one, other] of pairs) expect(futureOf(other)).toEqual(futureOf(one));
});
