import { playBankDay } from '../../dev/scaling/bank-day';
import type { BankDayOptions, Minute } from '../../dev/scaling/bank-day';

const OPTIONS: BankDayOptions = {
  ...{ transfers: 800, seed: 1, workers: 2, maxRps: 1, processors: 4, transitionMs: 5 },
};
const total = (minutes: readonly Minute[], of: (minute: Minute) => number): number =>
  minutes.reduce((sum, it) => sum + of(it), 0);
const SALARIES_AT = 9 * 60;

test('a day in virtual time: all end, none early; salaries wait for the limiter, the rest of the day does not', async () => {
  const { minutes, ended, early } = await playBankDay(OPTIONS);
  expect({ ended, early }).toEqual({ ended: OPTIONS.transfers, early: 0 });
  expect(total(minutes, (it) => it.started)).toBe(OPTIONS.transfers);
  expect(total(minutes, (it) => it.requests)).toBe(OPTIONS.transfers + total(minutes, (it) => it.lookups));
  expect(Math.max(...minutes.map((it) => it.peakRequests))).toBeLessThanOrEqual(
    2 * OPTIONS.workers * OPTIONS.maxRps,
  );
  const lateness = (from: number, to: number): number =>
    Math.max(...minutes.slice(from, to).flatMap((it) => it.latenessMs));
  expect(lateness(SALARIES_AT, SALARIES_AT + 15)).toBeGreaterThan(5_000);
  expect(lateness(0, SALARIES_AT)).toBeLessThan(1_000);
});

test('with half of the processors that its transitions need, steps wait for one', async () => {
  const { minutes } = await playBankDay({ ...OPTIONS, maxRps: 100, processors: 1, transitionMs: 500 });
  expect(Math.max(...minutes.map((it) => it.processorWaitMs))).toBeGreaterThan(60_000);
  expect(Math.max(...minutes.map((it) => it.used))).toBeGreaterThan(0.99);
});
