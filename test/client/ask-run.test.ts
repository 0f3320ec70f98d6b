import { QueryNotRegisteredError } from '@temporalio/client';
import { askRun } from '../../src/client/ask-run';

const refused = () =>
  Object.assign(Object.create(QueryNotRegisteredError.prototype) as QueryNotRegisteredError, {
    message: 'this run has news that no workflow task has handled yet: ask again',
  });

const client = { withDeadline: <T>(_: number | Date, call: () => Promise<T>) => call() };

/** Answers with the next of `outcomes`, and counts. */
function asked(...outcomes: readonly (string | Error)[]) {
  const calls = { count: 0 };
  const query = (): Promise<string> => {
    const outcome = outcomes[Math.min(calls.count, outcomes.length - 1)]!;
    calls.count += 1;
    return typeof outcome === 'string' ? Promise.resolve(outcome) : Promise.reject(outcome);
  };
  return { calls, query };
}

test('a run that asks to be asked again is asked again', async () => {
  const { calls, query } = asked(refused(), refused(), 'COMPLETED');
  await expect(askRun(client, 10_000, query)).resolves.toBe('COMPLETED');
  expect(calls.count).toBe(3);
});

test('a query that keeps failing is reported after five tries', async () => {
  const { calls, query } = asked(refused());
  await expect(askRun(client, 10_000, query)).rejects.toThrow('ask again');
  expect(calls.count).toBe(5);
});

test('any other failure is reported at once', async () => {
  const { calls, query } = asked(new Error('deadline exceeded'));
  await expect(askRun(client, 10_000, query)).rejects.toThrow('deadline exceeded');
  expect(calls.count).toBe(1);
});

test('no try comes after the deadline', async () => {
  const { calls, query } = asked(refused());
  await expect(askRun(client, 100, query)).rejects.toThrow('ask again');
  expect(calls.count).toBe(1);
});
