import type { Books } from './books';
import { longestStandstill } from './standstill';

const START = Date.parse('2026-01-05T12:00:00.000Z');
const iso = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

/** What the books have about transfer 1, by seconds. */
const books = (at: {
  readonly requests: readonly number[];
  readonly flags?: readonly (readonly [number, readonly string[]])[];
  readonly result?: number;
}): Books =>
  ({
    bank: {
      requests: at.requests.map((seconds) => ({
        ...{ service: 'transfer-request', originId: '1', at: iso(seconds), finishedAt: iso(seconds + 1) },
        giroTime: iso(seconds),
      })),
    },
    journal: {
      transfer: [{ origin_id: '1', opened_at: iso(0) }],
      answer: [],
      decision: [],
      flags: (at.flags ?? []).map(([seconds, reasons]) => ({
        ...{ origin_id: '1', reasons, recorded_at: iso(seconds) },
      })),
      result: at.result === undefined ? [] : [{ origin_id: '1', recorded_at: iso(at.result) }],
    },
  }) as unknown as Books;

test('from the last thing recorded to the next', () => {
  expect(longestStandstill(books({ requests: [2, 8, 90], result: 95 }))).toEqual({
    ...{ ms: 81_000, originId: '1', from: iso(9) },
  });
});

test('a transfer with a flag waits for people', () => {
  const flags = [
    [10, ['ECHO_MISMATCH']],
    [80, []],
  ] as const;
  expect(longestStandstill(books({ requests: [2, 8, 90], flags })).ms).toBe(10_000);
});

test('nothing was recorded', () => {
  const { journal, ...rest } = books({ requests: [] });
  const empty = { ...rest, journal: { ...journal, transfer: [] } };
  expect(longestStandstill(empty)).toEqual({ ms: 0, originId: null, from: null });
});
