import { apply } from '../../../src/domain/transfer/apply';
import { latenessMs } from '../../../src/domain/transfer/lateness';
import { nextStep } from '../../../src/domain/transfer/next-step';
import { initialState } from '../../../src/domain/transfer/state';
import type { TransferState } from '../../../src/domain/transfer/state';
import { live, seen } from './world';

const START_MS = 1_000_000;

/** After a create that was answered CREATED: the first look-up is due 5 s later. */
const created: TransferState = live(
  {
    creates: [{ status: 'CREATED', echo: 'match' }],
    lookups: [],
    durations: [0],
    signals: [],
    decisions: [],
  },
  2,
).state;
const DUE_MS = START_MS + 5_000;

/** The bank answers with another movement. */
const held: TransferState = live(
  {
    creates: [{ status: 'CREATED', echo: 'mismatch' }],
    lookups: [{ status: 'CREATED', echo: 'mismatch' }],
    durations: [0],
    signals: [],
    decisions: [],
  },
  6,
).state;

test('a look-up is late from its due time on', () => {
  expect(nextStep(created, START_MS)).toEqual({ do: 'wait', untilMs: DUE_MS, before: 'lookup' });
  expect(latenessMs(created, DUE_MS)).toBe(0);
  expect(latenessMs(created, DUE_MS + 1_200)).toBe(1_200);
});

test('a deferred one waits for its moment, under the same number, and is late from when it was first due', () => {
  const once = apply(created, { kind: 'request-deferred', atMs: DUE_MS, afterMs: 2_000 });
  expect(nextStep(once, DUE_MS)).toEqual({ do: 'wait', untilMs: DUE_MS + 2_000, before: 'lookup' });
  const twice = apply(once, { kind: 'request-deferred', atMs: DUE_MS + 2_000, afterMs: 3_000 });
  expect(nextStep(twice, DUE_MS + 5_000)).toEqual({ do: 'lookup', number: 2 });
  expect(latenessMs(twice, DUE_MS + 5_100)).toBe(5_100);
});

test('a hint does not bring a deferred request forward; the request after it is free again', () => {
  const deferred = apply(created, { kind: 'request-deferred', atMs: DUE_MS, afterMs: 60_000 });
  const hinted = apply(deferred, { kind: 'hinted', atMs: DUE_MS + 1 });
  expect(nextStep(hinted, DUE_MS + 1)).toMatchObject({ do: 'wait', untilMs: DUE_MS + 60_000 });
  const asked = apply(hinted, {
    kind: 'lookup-ended',
    atMs: DUE_MS + 60_000,
    startedAtMs: DUE_MS + 60_000,
    number: 2,
    settings: hinted.settings,
    inFlightMs: 0,
    answer: { kind: 'movement', movement: seen({ status: 'IN_PROGRESS', echo: 'match' }) },
  });
  expect(nextStep(asked, DUE_MS + 60_000)).toMatchObject({ untilMs: DUE_MS + 65_000 });
  expect(latenessMs(asked, DUE_MS + 65_000)).toBe(0);
});

test('a hint makes a held transfer due that was not before: it is late from the hint on', () => {
  const hintMs = START_MS + 300_000;
  const hinted = apply(held, { kind: 'hinted', atMs: hintMs });
  expect(nextStep(hinted, hintMs)).toMatchObject({ do: 'lookup' });
  expect(latenessMs(hinted, hintMs + 40)).toBe(40);
});

test('a hint that comes during a request asks for another one at the active gap; one from before it is used up', () => {
  const [startedAtMs, endedAtMs] = [START_MS + 300_000, START_MS + 301_000];
  const nextAfterHintAt = (hintMs: number) => {
    const hinted = apply(held, { kind: 'hinted', atMs: hintMs });
    const step = nextStep(hinted, startedAtMs);
    if (step.do !== 'lookup') throw new Error(`not a look-up: ${step.do}`);
    const asked = apply(hinted, {
      ...{ kind: 'lookup-ended', atMs: endedAtMs, startedAtMs, number: step.number, inFlightMs: 0 },
      settings: held.settings,
      answer: { kind: 'movement', movement: seen({ status: 'CREATED', echo: 'mismatch' }) },
    });
    return nextStep(asked, endedAtMs);
  };
  expect(nextAfterHintAt(startedAtMs + 500)).toMatchObject({ do: 'wait', untilMs: endedAtMs + 5_000 });
  const { pollDelayedMs } = held.settings;
  expect(nextAfterHintAt(startedAtMs - 1)).toMatchObject({ do: 'wait', untilMs: endedAtMs + pollDelayedMs });
});

describe('after creates that were surely not sent', () => {
  /** Each create ends as it begins, so all times are due times. */
  const unsent = live(
    { creates: Array(8).fill('not-sent'), lookups: [], durations: [0], signals: [], decisions: [] },
    1 + 8 + 7,
  );
  const lastEndMs = unsent.requests.at(-1)!.endMs;
  const hinted = apply(unsent.state, { kind: 'hinted', atMs: lastEndMs + 1 });

  test('the next create waits longer each time; a hint brings it forward to the active gap', () => {
    expect(unsent.requests.map(({ kind, answer }) => [kind, answer.kind])).toEqual(
      Array(8).fill(['create', 'not-sent']),
    );
    expect(nextStep(unsent.state, lastEndMs)).toMatchObject({ untilMs: lastEndMs + 300_000 });
    expect(nextStep(hinted, lastEndMs + 1)).toEqual({
      ...{ do: 'wait', before: 'create', untilMs: lastEndMs + 5_000 },
    });
  });

  test('a hint after the active gap makes the create due, and late from the hint on', () => {
    const hintMs = lastEndMs + 60_000;
    const late = apply(unsent.state, { kind: 'hinted', atMs: hintMs });
    expect(nextStep(late, hintMs)).toMatchObject({ do: 'create' });
    expect(latenessMs(late, hintMs + 40)).toBe(40);
  });

  test('a create that begins after the hint uses it up: the next one waits the whole pause again', () => {
    const [startedAtMs, endedAtMs] = [lastEndMs + 5_000, lastEndMs + 5_010];
    const again = apply(hinted, {
      ...{ kind: 'create-ended', atMs: endedAtMs, startedAtMs, number: 9, inFlightMs: 0, claimAgeMs: 0 },
      settings: hinted.settings,
      answer: {
        kind: 'not-sent',
        error: { code: 'CONNECTION_REFUSED', httpStatus: null, retryAfterMs: null },
      },
    });
    expect(nextStep(again, endedAtMs)).toMatchObject({ untilMs: endedAtMs + 300_000 });
  });

  test('a hint brings forward neither a deferred create nor one that has to wait for the bank', () => {
    const atMs = lastEndMs + 5_000;
    const deferred = apply(hinted, { kind: 'request-deferred', atMs, afterMs: 60_000 });
    expect(nextStep(deferred, atMs)).toMatchObject({ do: 'wait', untilMs: atMs + 60_000 });
    const asked = apply(unsent.state, {
      ...{ kind: 'create-ended', atMs, startedAtMs: atMs, number: 9, inFlightMs: 0, claimAgeMs: 0 },
      settings: hinted.settings,
      answer: { kind: 'not-sent', error: { code: 'RATE_LIMITED', httpStatus: 429, retryAfterMs: 40_000 } },
    });
    const hintedAgain = apply(asked, { kind: 'hinted', atMs: atMs + 1 });
    expect(nextStep(hintedAgain, atMs + 1)).toMatchObject({ do: 'wait', untilMs: atMs + 40_000 });
  });
});

test('the first create is never late, unless it had to wait', () => {
  const first = initialState(4711, START_MS);
  expect(latenessMs(first, START_MS + 9_000)).toBe(0);
});

test('a cancel that comes while the create waits before the bank withdraws it', () => {
  const received = live({ creates: [], lookups: [], durations: [0], signals: [], decisions: [] }, 1).state;
  const deferred = apply(received, { kind: 'request-deferred', atMs: START_MS, afterMs: 30_000 });
  expect(nextStep(deferred, START_MS)).toMatchObject({ do: 'wait', before: 'create' });
  expect(latenessMs(deferred, START_MS + 30_000)).toBe(30_000);
  const cancelled = apply(deferred, { kind: 'cancel-requested', atMs: START_MS + 1 });
  expect(nextStep(cancelled, START_MS + 1)).toEqual({ do: 'withdraw', number: 1 });
});
