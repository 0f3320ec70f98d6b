import { ForeignResultError } from './errors';

/**
 * The result of a run, provided that the result names this run. A sealed payload opens anywhere in its namespace, so
 * whoever can write Temporal's database can replace a run's result with that of another run.
 *
 * @throws ForeignResultError
 */
export function ownResult<Result extends object, Key extends keyof Result>(
  result: Result,
  key: Key,
  expected: Result[Key],
  workflowId: string,
): Result {
  const said: unknown = result;
  const isOwn = typeof said === 'object' && said !== null && result[key] === expected;
  if (!isOwn) throw new ForeignResultError(workflowId);
  return result;
}
