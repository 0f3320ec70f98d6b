import { elapsedSince } from '../../src/journal/elapsed';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('the time that passes counts, by both clocks', () => {
  const elapsedMs = elapsedSince();
  jest.advanceTimersByTime(1_500);
  expect(elapsedMs()).toBe(1_500);
});

test('a suspended machine: the wall clock went on', () => {
  const elapsedMs = elapsedSince();
  jest.setSystemTime(Date.now() + 90_000);
  expect(elapsedMs()).toBe(90_000);
});

test('a wall clock that was set back: the monotonic one counts', () => {
  const elapsedMs = elapsedSince();
  jest.advanceTimersByTime(1_500);
  jest.setSystemTime(Date.now() - 600_000);
  expect(elapsedMs()).toBe(1_500);
});

test('what passed before is counted by the wall clock', () => {
  const elapsedMs = elapsedSince(Date.now() - 250);
  jest.advanceTimersByTime(1_500);
  expect(elapsedMs()).toBe(1_750);
});
