import { SeenBrake } from '../../src/journal/seen-brake';
import type { BrakeChange } from '../../src/journal/seen-brake';

const change = (at: string, stopped: boolean): BrakeChange => ({
  at: `2026-03-01T12:00:00.${at}Z`,
  operator: 'ana',
  reason: 'a test',
  stopped,
});

test('the newest change counts, in whatever order the answers arrive', () => {
  const brake = new SeenBrake();
  expect(brake.stop()).toBeNull();
  brake.see(change('002', true));
  brake.see(change('001', false));
  expect(brake.stop()).toEqual({ at: '2026-03-01T12:00:00.002Z', operator: 'ana', reason: 'a test' });
  brake.see(change('003', false));
  brake.see(change('002', true));
  expect(brake.stop()).toBeNull();
});
