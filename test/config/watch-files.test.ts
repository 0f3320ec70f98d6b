import { accept, refuse } from '../../src/config/formats';
import type { Parsed } from '../../src/config/formats';
import { watchFiles } from '../../src/config/watch-files';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function watched() {
  const told: string[] = [];
  const file = { holds: accept({ v: 1 }) as Parsed<{ v: number }> };
  const initial = { v: 1 };
  const watch = watchFiles({
    initial,
    read: () => file.holds,
    onChange: ({ v }) => told.push(`now ${v}`),
    onProblem: (reason) => told.push(reason),
    everyMs: 10,
  });
  const next = (times = 1) => jest.advanceTimersByTime(10 * times);
  return { watch, file, told, next, initial };
}

test('an unchanged value stays the same object', () => {
  const { watch, next, initial, told } = watched();
  next(5);
  expect([watch.current() === initial, told]).toEqual([true, []]);
});

test('a new value counts when it was read twice running', () => {
  const { watch, file, next, told } = watched();
  file.holds = accept({ v: 2 });
  next();
  expect(watch.current()).toEqual({ v: 1 });
  file.holds = accept({ v: 3 });
  next();
  expect(watch.current()).toEqual({ v: 1 });
  next();
  expect([watch.current(), told]).toEqual([{ v: 3 }, ['now 3']]);
});

test('a problem is reported once and keeps the value; it may come again later', () => {
  const { watch, file, next, told } = watched();
  file.holds = refuse('half written');
  next(5);
  file.holds = accept({ v: 1 });
  next();
  file.holds = refuse('half written');
  next(2);
  expect([watch.current(), told]).toEqual([{ v: 1 }, ['half written', 'half written']]);
  file.holds = accept({ v: 4 });
  next(2);
  expect([watch.current(), told.at(-1)]).toEqual([{ v: 4 }, 'now 4']);
});

test('closed: nothing is read any more', () => {
  const { watch, file, next, told } = watched();
  watch.close();
  file.holds = refuse('gone');
  next(5);
  expect(told).toEqual([]);
});
