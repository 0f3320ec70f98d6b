import { Writable } from 'node:stream';
import { startProgress } from '../../src/commands/support/progress';
import { createLogger } from '../../src/telemetry/logger';

function capture(stderrIsTerminal: boolean, options: { readonly isEstimate?: boolean } = {}) {
  const lines: string[] = [];
  const shown: string[] = [];
  const logger = createLogger({
    level: 'info',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      shown.push(chunk.toString());
      done();
    },
  });
  const progress = startProgress({ stderr, stderrIsTerminal }, logger, {
    ...{ doing: 'waiting', total: 2, ...options },
  });
  return { progress, shown, records: () => lines.map((line) => JSON.parse(line) as unknown) };
}

afterEach(() => jest.restoreAllMocks());

test('the last state is logged once, also when its last step was just logged', () => {
  const { progress, records } = capture(false);
  const now = jest.spyOn(Date, 'now');
  progress.step('COMPLETED');
  now.mockReturnValue(Date.now() + 60_000);
  progress.step('COMPLETED');
  progress.end();
  expect(records()).toMatchObject([{ msg: 'waiting', done: 2, total: 2, COMPLETED: 2 }]);
});

test('a state that was not logged yet is logged at the end', () => {
  const { progress, records } = capture(false);
  progress.step('FAILED');
  progress.end();
  expect(records()).toMatchObject([{ msg: 'waiting', done: 1, FAILED: 1 }]);
});

test('on a terminal one line is rewritten, and ended', () => {
  const { progress, shown } = capture(true);
  progress.end();
  expect(shown.join('')).toMatch(/waiting: 0 of 2\n$/);
});

test('an estimate is shown as one', () => {
  const terminal = capture(true, { isEstimate: true });
  terminal.progress.end();
  expect(terminal.shown.join('')).toMatch(/waiting: 0 of about 2\n$/);
  const log = capture(false, { isEstimate: true });
  log.progress.end();
  expect(log.records()).toEqual([expect.objectContaining({ done: 0, aboutTotal: 2 })]);
  expect(log.records()).toEqual([expect.not.objectContaining({ total: 2 })]);
});
