import fc from 'fast-check';
import type { SeenMovement } from '../../../src/domain/transfer/answers';
import { openReasons } from '../../../src/domain/transfer/flags';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import { live } from './world';
import type { CreateScript, LookupMovement, LookupScript, Request, Script, Trace } from './world';

const { pollActiveMs, pollDelayedMs, resendWindowMs } = DEFAULT_TRANSFER_SETTINGS;

const movement = fc.record<LookupMovement>({
  status: fc.constantFrom('CREATED', 'IN_PROGRESS', 'DELAYED', 'COMPLETED', 'FAILED', 'REVERSED'),
  echo: fc.constantFrom(
    'match',
    'match',
    'match',
    'match',
    'incomplete',
    'mismatch',
    'other-origin',
    'other-id',
  ),
});
const script = fc.record<Script>({
  creates: fc.array(
    fc.oneof(
      fc.constantFrom<CreateScript>('not-sent', 'refused', 'unknown', 'unknown', 'unauthorized'),
      movement,
    ),
    { maxLength: 6 },
  ),
  lookups: fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom<LookupScript>(
          'not-found',
          'not-found',
          'not-found',
          'no-answer',
          'unauthorized',
          'rate-limited',
        ),
      },
      { weight: 2, arbitrary: movement },
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  ),
  durations: fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 4 }),
  signals: fc.array(
    fc.record({
      afterStep: fc.nat(120),
      kind: fc.constantFrom('hinted' as const, 'cancel-requested' as const),
    }),
    { maxLength: 4 },
  ),
});

const RUNS = Number(process.env['GIRO_PROPERTY_RUNS'] ?? 4_000);
const STEPS = 260;

function holds(name: string, check: (trace: Trace) => void): void {
  it(name, () => {
    fc.assert(
      fc.property(script, (s) => {
        check(live(s, STEPS));
      }),
      { numRuns: RUNS },
    );
  });
}

const HOLDING: readonly string[] = [
  'JOURNAL_CONFLICT',
  'ECHO_MISMATCH',
  'ECHO_INCOMPLETE',
  'VANISHED',
  'OUTCOME_UNKNOWN',
];

/** Each request with the one before it. `word`: the last that a readable movement carried until then. */
function pairs(requests: readonly Request[]) {
  let word: string | null = null;
  return requests.slice(1).map((next, i) => {
    const { answer, endMs } = requests[i]!;
    const ignored = answer.kind === 'answered' && answer.movement.echo === 'mismatch';
    word = ignored ? word : (movementOf(answer)?.status ?? word);
    const retryAfterMs = answer.kind === 'no-answer' ? (answer.error.retryAfterMs ?? 0) : 0;
    return { next, word, retryAfterMs, gapMs: next.startMs - endMs };
  });
}

const movementOf = (answer: Request['answer']): SeenMovement | null =>
  'movement' in answer ? answer.movement : null;

const foundAMovement = (answer: Request['answer']): boolean =>
  answer.kind === 'movement' || (answer.kind === 'answered' && answer.movement.echo !== 'mismatch');

const mayHaveReached = ({ kind, answer }: Request): boolean =>
  kind === 'create' && answer.kind !== 'not-sent';

describe('whatever the bank answers', () => {
  holds('numbers run 1, 2, 3… and each is used once', ({ requests }) => {
    expect(requests.map(({ number }) => number)).toEqual(requests.map((_, i) => i + 1));
  });

  holds('the gap from the end of a request to the start of the next is kept', ({ requests }) => {
    const broken = pairs(requests).filter(
      ({ gapMs, word }) => gapMs < (word === 'DELAYED' ? pollDelayedMs : pollActiveMs),
    );
    expect(broken).toEqual([]);
  });

  holds('Retry-After is a lower bound too', ({ requests }) => {
    expect(pairs(requests).filter(({ gapMs, retryAfterMs }) => gapMs < retryAfterMs)).toEqual([]);
  });

  holds(
    'a live transfer is asked on time, a held one at the delayed cadence unless hinted',
    ({ requests }) => {
      const wrong = pairs(requests).filter(({ next, gapMs, word, retryAfterMs }) => {
        if (next.kind !== 'lookup') return false;
        const held = openReasons(next.before.flags).some((reason) => HOLDING.includes(reason));
        if (held) return next.before.hintedAtMs === null && gapMs !== Math.max(pollDelayedMs, retryAfterMs);
        return gapMs !== Math.max(word === 'DELAYED' ? pollDelayedMs : pollActiveMs, retryAfterMs);
      });
      expect(wrong).toEqual([]);
    },
  );

  holds(
    'at most three sends may reach the bank, the later two in the window and while nothing was found',
    ({ requests }) => {
      const sends = requests.filter(mayHaveReached);
      expect(sends.length).toBeLessThanOrEqual(3);
      for (const send of sends.slice(1)) {
        const earlier = requests.slice(0, requests.indexOf(send));
        const since = earlier.slice(earlier.findLastIndex(mayHaveReached) + 1);
        const confirmed = since.filter(({ answer }) => answer.kind === 'not-found');
        expect(earlier.filter(({ answer }) => foundAMovement(answer))).toEqual([]);
        expect(confirmed.length).toBeGreaterThanOrEqual(12);
        expect(send.startMs - sends[0]!.startMs).toBeLessThanOrEqual(resendWindowMs);
      }
    },
  );

  holds('final only by a final word in an answer whose echo matches', ({ state, requests }) => {
    const result = state.stage.name === 'ended' ? state.stage.result : null;
    if (result?.status !== 'COMPLETED' && result?.status !== 'FAILED') return;
    const last = movementOf(requests.at(-1)!.answer);
    expect(last).toMatchObject({ status: result.status, echo: 'match', movementId: result.movementId });
  });

  holds(
    'never final once the bank has spoken of two movements or of another originId',
    ({ state, requests }) => {
      const looked = requests.filter(({ kind }) => kind === 'lookup').map(({ answer }) => movementOf(answer));
      const doubted = looked.some((movement) => movement?.echoFields.includes('details.originId'));
      if (doubted) expect(state.stage.name).not.toBe('ended');
    },
  );

  holds(
    'an annulment if, and only if, the bank said FAILED to a matching echo; once',
    ({ state, requests, annulments }) => {
      const failed = state.stage.name === 'ended' && state.stage.result.status === 'FAILED';
      expect(annulments.length).toBe(failed ? 1 : 0);
      for (const { evidenceNumber } of annulments) {
        const evidence = movementOf(requests.find(({ number }) => number === evidenceNumber)!.answer);
        expect(evidence).toMatchObject({ status: 'FAILED', echo: 'match' });
      }
    },
  );

  holds('REFUSED only after one refused send and twelve readable not-founds since', ({ state, requests }) => {
    if (state.stage.name !== 'ended' || state.stage.result.status !== 'REFUSED') return;
    const sends = requests.filter(mayHaveReached);
    expect(sends.map(({ answer }) => answer.kind)).toEqual(['refused']);
    const since = requests.slice(requests.indexOf(sends[0]!) + 1);
    expect(since.filter(({ answer }) => answer.kind === 'not-found')).toHaveLength(12);
    expect(since.filter(({ answer }) => answer.kind === 'movement')).toEqual([]);
  });

  holds('WITHDRAWN only when a cancel came and nothing can have reached the bank', ({ state, requests }) => {
    if (state.stage.name !== 'ended' || state.stage.result.status !== 'WITHDRAWN') return;
    expect(state.cancelRequestedAtMs).not.toBeNull();
    expect(requests.filter(mayHaveReached)).toEqual([]);
  });

  holds(
    'every flag, and its clearing, is told to the journal before the next request or the end',
    ({ steps, requests }) => {
      const last = steps.filter((step) => step.do === 'record-flags').at(-1);
      if (steps.at(-1)?.do === 'end') expect(last?.reasons ?? []).toEqual([]);
      expect(
        requests.filter(({ before }) => openReasons(before.flags).join() !== before.recordedReasons.join()),
      ).toEqual([]);
    },
  );
});

describe('every path ends or is flagged', () => {
  it('whatever the bank repeats for ever', () => {
    fc.assert(
      fc.property(script, (s) => {
        const { state } = live({ ...s, signals: [] }, 6_000);
        expect(state.stage.name === 'ended' || openReasons(state.flags).length > 0).toBe(true);
      }),
      { numRuns: Math.ceil(RUNS / 20) },
    );
  });
});
