import fc from 'fast-check';
import { answerDigest } from '../../../src/activities/answer-digest';
import type { SeenMovement } from '../../../src/domain/transfer/answers';
import { evidenceNumberOf } from '../../../src/domain/transfer/evidence';
import { factsOf } from '../../../src/domain/transfer/facts';
import { forgetsIds } from '../../../src/domain/transfer/echo-state';
import { openReasons } from '../../../src/domain/transfer/flags';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import { script } from './scripts';
import { expect } from '../../support/quick-expect';
import { live } from './world';
import type { Request, Trace } from './world';

const { pollActiveMs, pollDelayedMs, resendWindowMs } = DEFAULT_TRANSFER_SETTINGS;

const RUNS = Number(process.env['GIRO_PROPERTY_RUNS'] ?? 4_000);
const STEPS = 260;

type Check = (trace: Trace) => void;

/** Of one run of this file: the lives of a broken invariant are lived again, and shrunk. */
const seed = Date.now() % 2 ** 31;
const invariants = new Map<string, Check>();
let found: ReadonlySet<string> | null = null;

/** Every invariant is judged on the same lives, because to live one costs much more than to judge it. */
function broken(): ReadonlySet<string> {
  if (found !== null) return found;
  const names = new Set<string>();
  const lives = fc.property(script, (s) => {
    const trace = live(s, STEPS);
    for (const [name, check] of invariants) {
      if (!isKept(check, trace)) names.add(name);
    }
  });
  fc.assert(lives, { numRuns: RUNS, seed });
  return (found = names);
}

function isKept(check: Check, trace: Trace): boolean {
  try {
    check(trace);
    return true;
  } catch {
    return false;
  }
}

function holds(name: string, check: Check): void {
  invariants.set(name, check);
  it(name, () => {
    if (!broken().has(name)) return;
    const shrunk = fc.property(script, (s) => {
      check(live(s, STEPS));
    });
    fc.assert(shrunk, { numRuns: RUNS, seed });
    throw new Error(`broken with seed ${seed}`);
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
    const { deferredFromMs, notBeforeMs } = next.before.requests;
    /** How long the limiter made it wait, from the end of the request before it. */
    const deferredMs = deferredFromMs === null ? 0 : notBeforeMs - endMs;
    return { next, word, retryAfterMs, deferredMs, gapMs: next.startMs - endMs };
  });
}

const movementOf = (answer: Request['answer']): SeenMovement | null =>
  'movement' in answer ? answer.movement : null;

const foundAMovement = (answer: Request['answer']): boolean =>
  answer.kind === 'movement' || (answer.kind === 'answered' && answer.movement.echo !== 'mismatch');

const mayHaveReached = ({ kind, answer }: Request): boolean =>
  kind === 'create' && answer.kind !== 'not-sent';

const endedByBank = ({ stage }: Trace['state']): boolean =>
  stage.name === 'ended' && stage.result.decidedBy === 'bank';

const resultStatus = ({ stage }: Trace['state']) => (stage.name === 'ended' ? stage.result.status : null);

/** An accepted resend came after the send before this one. */
function sentByOperators(
  send: Request,
  requests: readonly Request[],
  decisions: Trace['decisions'],
): boolean {
  const before = requests.slice(0, requests.indexOf(send)).findLastIndex(mayHaveReached);
  return decisions.some(
    ({ record, requestsBefore }) =>
      record.outcome === 'accepted' && record.action === 'resend' && requestsBefore > before,
  );
}

describe('whatever the bank answers and operators try', () => {
  holds('numbers run 1, 2, 3… and each is used once', ({ requests }) => {
    expect(requests.map(({ number }) => number)).toEqual(requests.map((_, i) => i + 1));
  });

  holds('the gap from the end of a request to the start of the next is kept', ({ requests }) => {
    const broken = pairs(requests).filter(
      ({ gapMs, word }) => gapMs < (word === 'DELAYED' ? pollDelayedMs : pollActiveMs),
    );
    expect(broken).toEqual([]);
  });

  holds('a request that has to wait before the bank never starts before its moment', ({ requests }) => {
    expect(pairs(requests).filter(({ gapMs, deferredMs }) => gapMs < deferredMs)).toEqual([]);
  });

  holds('Retry-After is a lower bound too', ({ requests }) => {
    expect(pairs(requests).filter(({ gapMs, retryAfterMs }) => gapMs < retryAfterMs)).toEqual([]);
  });

  holds(
    'a live transfer is asked on time, a held one at the delayed cadence unless hinted or decided about',
    ({ requests, decisions, deniedAfter, heldBack }) => {
      const wrong = pairs(requests).filter(({ next, gapMs, word, retryAfterMs, deferredMs }) => {
        if (next.kind !== 'lookup') return false;
        // The gap runs from the denial.
        if (deniedAfter.includes(next.number - 1)) return false;
        // A repeat that the brake held back was due later than a look-up is.
        if (heldBack.some(({ before }) => before.requests.lastNumber === next.number - 1)) return false;
        if (decisions.some(({ requestsBefore }) => requestsBefore === next.number - 1)) return false;
        const held = openReasons(next.before.flags).some((reason) => HOLDING.includes(reason));
        if (held)
          return (
            next.before.hintedAtMs === null && gapMs !== Math.max(pollDelayedMs, retryAfterMs, deferredMs)
          );
        return (
          gapMs !== Math.max(word === 'DELAYED' ? pollDelayedMs : pollActiveMs, retryAfterMs, deferredMs)
        );
      });
      expect(wrong).toEqual([]);
    },
  );

  holds(
    'at most three sends may reach the bank, the later two in the window and while nothing was found',
    ({ requests, decisions }) => {
      const sends = requests.filter(mayHaveReached);
      expect(sends.length).toBeLessThanOrEqual(3);
      for (const send of sends.slice(1)) {
        expect(send.startMs - sends[0]!.startMs).toBeLessThanOrEqual(resendWindowMs);
        if (sentByOperators(send, requests, decisions)) continue;
        const earlier = requests.slice(0, requests.indexOf(send));
        const since = earlier.slice(earlier.findLastIndex(mayHaveReached) + 1);
        const arrivedByMs = earlier.findLast(mayHaveReached)?.arrivesByMs ?? 0;
        const confirmed = since.filter(
          ({ answer, startMs }) => answer.kind === 'not-found' && startMs >= arrivedByMs,
        );
        expect(earlier.filter(({ answer }) => foundAMovement(answer))).toEqual([]);
        expect(confirmed.length).toBeGreaterThanOrEqual(12);
      }
    },
  );

  holds('a mismatch holds until an answer matches, or operators decide', ({ requests, decisions }) => {
    const freed = requests.slice(1).filter((next, i) => {
      const asked = requests[i]!;
      if (decisions.some(({ requestsBefore }) => requestsBefore === asked.number)) return false;
      const matched = movementOf(asked.answer)?.echo === 'match';
      const [wasHeld, isHeld] = [asked, next].map(({ before }) =>
        openReasons(before.flags).includes('ECHO_MISMATCH'),
      );
      return wasHeld === true && isHeld === false && !matched;
    });
    expect(freed).toEqual([]);
  });

  holds('a good answer ends the run of answers 401 and 403', ({ requests }) => {
    const shut = requests.slice(1).filter((next, i) => {
      const { answer } = requests[i]!;
      const isGood = 'movement' in answer || answer.kind === 'not-found' || answer.kind === 'refused';
      return isGood && (next.before.bank.unauthorizedRun > 0 || 'BANK_UNAUTHORIZED' in next.before.flags);
    });
    expect(shut).toEqual([]);
  });

  holds('final only by a final word in an answer whose echo matches', ({ state, requests }) => {
    const result = state.stage.name === 'ended' ? state.stage.result : null;
    if (result?.decidedBy !== 'bank' || result.status === 'REFUSED') return;
    const last = movementOf(requests.at(-1)!.answer);
    expect(last).toMatchObject({ status: result.status, echo: 'match' });
    expect([result.movementId, null]).toContain(last?.movementId);
  });

  holds(
    'never final once the bank has spoken of two movements or of another originId, until operators looked',
    ({ state, requests, decisions }) => {
      const since = decisions.findLast(({ record }) => record.outcome !== 'proposed')?.requestsBefore ?? 0;
      const unseen = requests.slice(since);
      const looked = unseen.filter(({ kind }) => kind === 'lookup').map(({ answer }) => movementOf(answer));
      const doubted = looked.some((movement) => movement?.echoFields.includes('originId'));
      if (doubted) expect(endedByBank(state)).toBe(false);
    },
  );

  holds(
    'never final by the bank once its answers have named two movements, whatever their echo, until operators looked',
    ({ state, requests, decisions }) => {
      const since = decisions.findLast(({ record }) => forgetsIds(record))?.requestsBefore ?? 0;
      const ids = requests.slice(since).map(({ answer }) => movementOf(answer)?.movementId ?? null);
      if (new Set(ids.filter((id) => id !== null)).size > 1) {
        expect(endedByBank(state) && resultStatus(state) !== 'REFUSED').toBe(false);
      }
    },
  );

  holds(
    'an annulment if, and only if, the bank said FAILED to a matching echo or two operators accepted it; once',
    ({ state, requests, annulments, lines }) => {
      const failed = state.stage.name === 'ended' && state.stage.result.status === 'FAILED';
      expect(annulments.length).toBe(failed ? 1 : 0);
      for (const { evidenceNumber, operators, result } of annulments) {
        if (result.decidedBy === 'operators') {
          expect(lines.at(-1)).toMatchObject({ outcome: 'accepted', action: 'accept-failed', operators });
          continue;
        }
        expect(operators).toEqual([]);
        const evidence = movementOf(requests.find(({ number }) => number === evidenceNumber)!.answer);
        expect(evidence).toMatchObject({ status: 'FAILED', echo: 'match' });
      }
    },
  );

  holds('REFUSED only after one refused send and twelve readable not-founds since', ({ state, requests }) => {
    if (!endedByBank(state) || state.stage.name !== 'ended' || state.stage.result.status !== 'REFUSED')
      return;
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

  holds('a create that the brake holds back is tried again after 15 s or more, unless hinted', (trace) => {
    const soon = trace.heldBack.slice(1).filter(({ atMs, before }, i) => {
      // With a create in between the brake was off, and is on anew.
      const isAgain = before.sends.heldBack !== null && before.hintedAtMs === null;
      return isAgain && atMs - trace.heldBack[i]!.atMs < 15_000;
    });
    expect(soon).toEqual([]);
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
        const { state } = live({ ...s, signals: [], decisions: [] }, 6_000);
        expect(state.stage.name === 'ended' || openReasons(state.flags).length > 0).toBe(true);
      }),
      { numRuns: Math.ceil(RUNS / 40) },
    );
  });
});

/** The meaning of a readable answer, computed separately; null: it is not readable. */
const reportedBy = ({ answer }: Request): string | null => {
  const movement = movementOf(answer);
  if (movement === null) return answer.kind === 'not-found' ? 'nothing' : null;
  const { evidenceSha256: _, ...told } = movement;
  return JSON.stringify(told);
};

/** Evidence by its definition, backwards from the last readable answer. */
function evidenceNumber(readable: readonly { number: number; told: string }[]): number {
  const last = readable.at(-1);
  if (last === undefined) return 0;
  const other = readable.findLastIndex(({ told }) => told !== last.told);
  return readable[other + 1]!.number;
}

holds(
  'evidence: the first of the unbroken run of equal readable answers, in a run of the transfer',
  ({ requests, state }) => {
    const readable: { number: number; told: string }[] = [];
    const wrong = requests.filter((request) => {
      const isWrong = evidenceNumberOf(request.before.bank) !== evidenceNumber(readable);
      const told = reportedBy(request);
      if (told !== null) readable.push({ number: request.number, told });
      return isWrong;
    });
    expect(wrong).toEqual([]);
    expect(evidenceNumberOf(state.bank)).toBe(evidenceNumber(readable));
  },
);

holds('evidence: the same in the journal’s lines, which leave out look-ups that told the same', (trace) => {
  let digest = '';
  const lines = trace.requests.map(({ kind, number, startMs, endMs, answer }) => {
    const own = answerDigest(answer);
    const isNews = own !== digest;
    digest = own;
    return {
      ...{ number, kind, claimedAtMs: startMs },
      answer: isNews ? { recordId: number, atMs: endMs, value: answer } : null,
    };
  });
  const asked = { readAtMs: 0, openedAtMs: 0, polls: 0, lastPolledAtMs: null };
  const facts = factsOf({ ...asked, requests: lines, decisions: [], flags: [], doubts: [] });
  expect(evidenceNumberOf(facts)).toBe(evidenceNumberOf(trace.state.bank));
});
