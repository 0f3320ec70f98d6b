import { startOptionIssues } from '../../src/activities/start-options';
import type { StartFacts } from '../../src/activities/start-options';

const PLAIN: StartFacts = {
  workflowId: 'transfer-4711',
  hasExecutionTimeout: false,
  hasRunTimeout: false,
  hasCron: false,
  hasRetryPolicy: false,
};

test('a plain start under the id of the order has no issue', () => {
  expect(startOptionIssues(PLAIN, 'transfer-4711')).toEqual([]);
});

test.each<[Partial<StartFacts>, string]>([
  [{ hasExecutionTimeout: true }, 'workflowExecutionTimeout'],
  [{ hasRunTimeout: true }, 'workflowRunTimeout'],
  [{ hasCron: true }, 'cronSchedule'],
  [{ hasRetryPolicy: true }, 'retryPolicy'],
])('%p is refused by name', (facts, path) => {
  const issue = { path, rule: 'must not be set for a transfer' };
  expect(startOptionIssues({ ...PLAIN, ...facts }, 'transfer-4711')).toEqual([issue]);
  expect(startOptionIssues({ ...PLAIN, ...facts }, null)).toEqual([issue]);
});

test.each(['transfer-4712', 'transfer-04711', 'Transfer-4711', 'transfer-4711 ', '4711', ''])(
  'workflow id %p is refused, and not repeated: it could be anything',
  (workflowId) => {
    expect(startOptionIssues({ ...PLAIN, workflowId }, 'transfer-4711')).toEqual([
      { path: 'workflowId', rule: 'must be transfer-4711' },
    ]);
  },
);

test('no id is asked for when the originId is unreadable', () => {
  expect(startOptionIssues({ ...PLAIN, workflowId: 'anything' }, null)).toEqual([]);
});

test('all of it at once', () => {
  const facts = {
    workflowId: 'payment-1',
    hasExecutionTimeout: true,
    hasRunTimeout: true,
    hasCron: true,
    hasRetryPolicy: true,
  };
  expect(startOptionIssues(facts, 'transfer-4711').map(({ path }) => path)).toEqual([
    'workflowId',
    'workflowExecutionTimeout',
    'workflowRunTimeout',
    'cronSchedule',
    'retryPolicy',
  ]);
});
