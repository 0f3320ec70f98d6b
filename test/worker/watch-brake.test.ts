import { setTimeout } from 'node:timers/promises';
import type { SendingStop } from '../../src/domain/transfer/records';
import { JournalUnavailable } from '../../src/journal/errors';
import { watchBrake } from '../../src/worker/watch-brake';

const STOP: SendingStop = { at: '2026-03-01T12:00:00.000Z', operator: 'ana', reason: 'a test' };

test('it says what was recorded again, reports a bug, and keeps reading through both and through an outage', async () => {
  const answers = [
    () => Promise.resolve(null),
    () => Promise.reject(new JournalUnavailable('gone')),
    () => Promise.resolve(STOP),
    () => Promise.reject(new TypeError('a bug')),
  ];
  let reads = 0;
  const logged: unknown[] = [];
  const brake = watchBrake(
    { keepStop: () => (answers[reads++] ?? answers[0]!)() },
    { error: (...line: unknown[]) => logged.push(line) },
    1,
  );
  while (reads < 6) await setTimeout(1);
  await brake.close();
  const before = reads;
  await setTimeout(20);
  expect(reads).toBe(before);
  expect(logged).toEqual([
    [{ stoppedAt: STOP.at }, expect.stringContaining('recorded again')],
    [{ err: expect.any(TypeError) }, 'the brake cannot be read'],
  ]);
});
