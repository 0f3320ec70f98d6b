import { GRPC, isOverdue } from '../../src/client/engine-errors';

const failed = (code: number) => Object.assign(new Error('1 CANCELLED'), { code, details: '', metadata: {} });

test('a call that the server cancelled at its deadline is overdue; one that it cancelled earlier is not', () => {
  const nowMs = Date.now();
  expect(isOverdue(failed(GRPC.CANCELLED), nowMs)).toBe(true);
  expect(isOverdue(failed(GRPC.CANCELLED), nowMs + 60_000)).toBe(false);
  expect(isOverdue(failed(GRPC.DEADLINE_EXCEEDED), nowMs + 60_000)).toBe(true);
  expect(isOverdue(failed(GRPC.UNAVAILABLE), nowMs)).toBe(false);
});
