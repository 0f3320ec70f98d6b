import { CLAIM_ANSWER_MS } from '../../../src/domain/transfer/cadence';
import { apply } from '../../../src/domain/transfer/apply';
import type { CreateAnswer, LookupAnswer } from '../../../src/domain/transfer/answers';
import type { DecisionRecord } from '../../../src/domain/transfer/decisions/decision';
import { openReasons } from '../../../src/domain/transfer/flags';
import { nextStep } from '../../../src/domain/transfer/next-step';
import type { TransferResult } from '../../../src/domain/transfer/result';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import { initialState } from '../../../src/domain/transfer/state';
import type { TransferState } from '../../../src/domain/transfer/state';
import { viewOf } from '../../../src/domain/transfer/view';
import {
  openedJournal,
  withClaim,
  withDecision,
  withDoubt,
  withFlags,
} from '../../../dev/explore/journal-model';
import type { ModelJournal } from '../../../dev/explore/journal-model';
import { lines, receive, request } from './received';
import { seen } from './world';
import type { LookupMovement } from './world';

const NOW = 10_000_000;
const OPENED = NOW - 120_000;
const settings = { ...DEFAULT_TRANSFER_SETTINGS, needsDeciders: false };
const { pollActiveMs, pollDelayedMs } = settings;

type Line = (journal: ModelJournal) => ModelJournal;

/** A run that follows a lost one, right after its receipt. */
const recovered = (...made: readonly Line[]): TransferState =>
  receive(initialState(4711, NOW), NOW, lines(openedJournal(OPENED), ...made));

const UNCLEAR: CreateAnswer = {
  kind: 'unknown',
  error: { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null },
};
const REFUSED: CreateAnswer = { kind: 'refused', httpStatus: 422, code: null };
const shown = (movement: LookupMovement): LookupAnswer => ({ kind: 'movement', movement: seen(movement) });

/** One create with unknown outcome, and four look-ups without news. */
const SENT = request(UNCLEAR, OPENED, 'create');
const ASKED: readonly Line[] = [
  SENT,
  ...[100_000, 90_000, 80_000, 60_000].map((agoMs) => request(null, NOW - agoMs, 'lookup')),
];
const found = (movement: LookupMovement, agoMs = 60_000): readonly Line[] => [
  SENT,
  request(shown(movement), NOW - agoMs, 'lookup'),
];
const FOUND = found({ status: 'IN_PROGRESS', echo: 'match' });

const decision = (
  outcome: DecisionRecord['outcome'],
  action: DecisionRecord['action'],
  flags: DecisionRecord['flags'],
  agoMs = 50_000,
): Line => {
  return (journal) =>
    withDecision(
      journal,
      {
        ...{ id: `run-1/${journal.decisions.length + 1}`, outcome, action, operator: 'luis', flags },
        ...{ operators: ['ana', 'luis'], reason: 'bank letter 17', bankStatus: null },
        afterNumber: journal.requests.length,
      },
      NOW - agoMs,
    );
};
const flagged =
  (...reasons: Parameters<typeof withFlags>[1]): Line =>
  (journal) =>
    withFlags(journal, reasons, NOW - 40_000);
const doubted: Line = (journal) => withDoubt(journal, 'restored', NOW - 30_000);

const lookup = (state: TransferState, answer: LookupAnswer, atMs: number): TransferState => {
  const number = state.requests.lastNumber + 1;
  return apply(state, {
    kind: 'lookup-ended',
    atMs,
    startedAtMs: atMs,
    number,
    settings,
    inFlightMs: 0,
    answer,
  });
};

function manyNotFound(state: TransferState, times: number, fromMs = NOW): TransferState {
  let current = state;
  for (let i = 1; i <= times; i += 1)
    current = lookup(current, { kind: 'not-found' }, fromMs + i * pollActiveMs);
  return current;
}

/** The step after everything has been recorded in the journal. */
function nextRequest(state: TransferState, nowMs: number) {
  const step = nextStep(state, nowMs);
  return step.do === 'record-flags'
    ? nextStep({ ...state, recordedReasons: openReasons(state.flags) }, nowMs)
    : step;
}

describe('a run after a lost one', () => {
  it('goes on by look-up and waits the gap of the last status first', () => {
    const state = recovered(...FOUND, request(null, NOW - 50_000, 'lookup'));
    // The last look-up had no news, or is in flight: its time-out is long over.
    expect(nextStep(state, NOW)).toEqual({ do: 'wait', before: 'lookup', untilMs: NOW + pollActiveMs });
    expect(nextStep(state, NOW + pollActiveMs)).toEqual({ do: 'lookup', number: 4 });
  });

  it('shows the look-ups before it: how many, and the last', () => {
    const { polls, lastPolledAt } = viewOf(recovered(...FOUND), (ms) => `${ms}`);
    expect({ polls, lastPolledAt }).toEqual({ polls: 1, lastPolledAt: `${NOW - 60_000}` });
  });

  it('keeps the gap of DELAYED, also when the status came with a wrong echo', () => {
    const state = recovered(...found({ status: 'DELAYED', echo: 'mismatch' }));
    expect(nextRequest(state, NOW)).toMatchObject({ do: 'wait', untilMs: NOW + pollDelayedMs });
  });

  it('counts the gap from the latest possible end of a request that may be in flight', () => {
    const state = recovered(request(null, NOW - 1_000, 'create'));
    expect(nextStep(state, NOW)).toMatchObject({
      do: 'wait',
      untilMs: NOW + 30_000 + CLAIM_ANSWER_MS - 1_000 + pollActiveMs,
    });
  });

  describe('with a create that had no answer at the receipt', () => {
    const answeredLate = (answer: CreateAnswer, ...more: readonly Line[]): TransferState =>
      apply(recovered(request(null, NOW - 1_000, 'create'), ...more), {
        ...{ kind: 'create-ended', atMs: NOW + 60_000, startedAtMs: NOW - 1_000, number: 1 },
        ...{ claimAgeMs: 61_000, settings, inFlightMs: 0, answer },
      });

    it('keeps the gap of an answer that was recorded meanwhile', () => {
      const state = answeredLate({
        ...{ kind: 'answered', retryAfterMs: null },
        movement: seen({ status: 'DELAYED', echo: 'match' }),
      });
      expect(nextStep(state, NOW + 60_000)).toMatchObject({ untilMs: NOW + 60_000 + pollDelayedMs });
      expect(state.sends).toMatchObject({ count: 1, firstAtMs: NOW - 1_000 });
      expect(state.requests).toMatchObject({ isUnanswered: false, lastNumber: 1, polls: 0 });
    });

    it('sends again, as its first send, what was not sent', () => {
      const state = answeredLate({ ...UNCLEAR, kind: 'not-sent' });
      expect(state.sends).toMatchObject({ count: 0, firstAtMs: null, lastAtMs: null });
      expect(nextStep(state, NOW + 90_000)).toEqual({ do: 'create', number: 2 });
    });

    it('takes a refusal as that of the only send, unless the journal has lost requests', () => {
      expect(answeredLate(REFUSED).sends).toMatchObject({ count: 1, refusal: { httpStatus: 422 } });
      expect(answeredLate(REFUSED, doubted).sends).toMatchObject({ count: 1, refusal: null });
    });

    it('sends nothing again if the journal has lost requests', () => {
      const state = answeredLate({ ...UNCLEAR, kind: 'not-sent' }, doubted);
      expect(state.sends).toMatchObject({ count: 1 });
      expect(nextStep(state, NOW + 90_000)).toEqual({ do: 'lookup', number: 2 });
    });

    it('keeps the gap of a look-up that was answered meanwhile, and counts it once', () => {
      const before = recovered(
        request(UNCLEAR, NOW - 60_000, 'create'),
        request(null, NOW - 1_000, 'lookup'),
      );
      expect(before.requests).toMatchObject({ isUnanswered: true, lastNumber: 2, polls: 1 });
      const state = apply(before, {
        ...{ kind: 'lookup-ended', atMs: NOW + 60_000, startedAtMs: NOW - 1_000, number: 2 },
        ...{ settings, inFlightMs: 0 },
        answer: {
          kind: 'movement',
          retryAfterMs: null,
          movement: seen({ status: 'DELAYED', echo: 'match' }),
        },
      });
      expect(nextRequest(state, NOW + 60_000)).toMatchObject({ untilMs: NOW + 60_000 + pollDelayedMs });
      expect(state.requests).toMatchObject({ isUnanswered: false, lastNumber: 2, polls: 1 });
    });

    it('reads the answer once', () => {
      const state = recovered(request(null, NOW - 1_000, 'create'));
      expect(state.requests.isUnanswered).toBe(true);
      expect(lookup(state, { kind: 'not-found' }, NOW + 60_000).requests.isUnanswered).toBe(false);
    });
  });

  it('waits no longer than the gap when the last answer is recorded', () => {
    expect(nextStep(recovered(request(UNCLEAR, NOW - 1_000, 'create')), NOW)).toMatchObject({
      do: 'wait',
      untilMs: NOW + pollActiveMs,
    });
  });

  it('counts not-founds anew when it reads the journal in the middle of a round', () => {
    const counted = manyNotFound(recovered(...ASKED), 11);
    const again = [request(UNCLEAR, NOW + 60_000, 'create')];
    const lookups = Array.from({ length: 11 }, (_, i) => request(null, NOW + i * 5_000, 'lookup'));
    const journal = lines(openedJournal(OPENED), ...ASKED, ...lookups, ...again);
    const read = receive({ ...counted, stage: { name: 'receiving' } }, NOW + 100_000, journal);
    const asked = manyNotFound(read, 11, NOW + 100_000);
    expect(asked.bank.notFoundRun).toBe(11);
    expect(nextRequest(asked, NOW + 300_000)).toMatchObject({ do: 'lookup' });
    expect(nextRequest(manyNotFound(asked, 1, NOW + 200_000), NOW + 300_000)).toMatchObject({ do: 'create' });
  });

  it('counts no not-found while the bytes of a create without an answer may be in flight', () => {
    const bytesEndMs = NOW - 10_000 + 30_000 + CLAIM_ANSWER_MS;
    const state = recovered(request(null, NOW - 10_000, 'create'), request(null, NOW - 2_000, 'lookup'));
    const early = manyNotFound(state, 5, bytesEndMs - 5 * pollActiveMs - 1);
    expect(early.bank).toMatchObject({ notFoundRun: 0, lastNotFound: { number: 7 } });
    expect(manyNotFound(early, 12, bytesEndMs - pollActiveMs)).toMatchObject({ stage: { name: 'sending' } });
  });

  it('keeps the Retry-After of the last answer', () => {
    const answer: LookupAnswer = { kind: 'not-found', retryAfterMs: 3_600_000 };
    const state = recovered(SENT, request(answer, NOW - 60_000, 'lookup'));
    expect(nextStep(state, NOW)).toMatchObject({
      do: 'wait',
      untilMs: NOW + 3_600_000 - 60_000 + 5_000 + CLAIM_ANSWER_MS,
    });
  });

  it('does not repeat a create whose movement a look-up once found with a wrong echo', () => {
    const state = manyNotFound(recovered(...found({ status: 'CREATED', echo: 'mismatch' })), 12);
    expect(state.stage.name).toBe('polling');
    expect(nextRequest(state, NOW + 10 * pollDelayedMs)).toMatchObject({ do: 'lookup' });
  });

  it('does not end as REFUSED once a look-up found a movement', () => {
    const refused = request(REFUSED, OPENED, 'create');
    const wrong = request(shown({ status: 'CREATED', echo: 'mismatch' }), NOW - 60_000, 'lookup');
    expect(manyNotFound(recovered(refused, wrong), 12).stage.name).toBe('polling');
    expect(manyNotFound(recovered(refused), 12).stage).toMatchObject({
      name: 'ending',
      result: { status: 'REFUSED' },
    });
  });

  it.each([
    ['with everything else right', { status: 'IN_PROGRESS', echo: 'match', id: '666' }],
    ['without the fields that tie it to the order', { status: 'CREATED', echo: 'incomplete', id: '666' }],
    ['with a wrong amount', { status: 'CREATED', echo: 'mismatch', id: '666' }],
  ] as const)('stays held when answers named two movements, one of them %s', (_, other) => {
    const state = recovered(...FOUND, request(shown(other), NOW - 50_000, 'lookup'));
    expect(openReasons(state.flags)).toEqual(['ECHO_MISMATCH']);
    const failed = lookup(state, shown({ status: 'FAILED', echo: 'match' }), NOW + 1);
    expect(failed.stage.name).toBe('polling');
    expect(openReasons(failed.flags)).toEqual(['ECHO_MISMATCH']);
  });

  it('counts the id of a create that was answered wrongly', () => {
    const wrong: CreateAnswer = {
      kind: 'answered',
      movement: seen({ status: 'CREATED', echo: 'mismatch', id: '666' }),
    };
    const state = recovered(request(wrong, OPENED, 'create'));
    expect(state.stage.name).toBe('looking-up');
    const completed = lookup(state, shown({ status: 'COMPLETED', echo: 'match' }), NOW + 1);
    expect(completed.stage.name).toBe('polling');
    expect(openReasons(completed.flags)).toEqual(['ECHO_MISMATCH']);
  });

  it('has forgotten the ids that operators discarded, and only these', () => {
    const other = request(shown({ status: 'COMPLETED', echo: 'match', id: '666' }), NOW - 55_000, 'lookup');
    const looked = recovered(...FOUND, other, decision('resumed', 'resume', ['ECHO_MISMATCH']));
    expect(looked.bank).toMatchObject({ movementId: null, echo: { movementIds: [], isMismatched: false } });
    const old = recovered(...FOUND, other, decision('resumed', 'resume', ['OPEN_TOO_LONG']));
    expect(openReasons(old.flags)).toEqual(['ECHO_MISMATCH']);
  });

  it('keeps an id that a later answer leaves out', () => {
    const blank = request(shown({ status: 'DELAYED', echo: 'incomplete', id: null }), NOW - 50_000, 'lookup');
    expect(recovered(...FOUND, blank).bank).toMatchObject({ status: 'DELAYED', movementId: '900100' });
  });

  it('has the flags that the journal has, and records when they are gone', () => {
    const state = recovered(...ASKED, flagged('OUTCOME_UNKNOWN'));
    expect(nextStep(state, NOW)).toMatchObject({ do: 'wait', untilMs: NOW + pollDelayedMs });
    const known = lookup(state, shown({ status: 'COMPLETED', echo: 'match' }), NOW + 1);
    expect(nextStep(known, NOW + 1)).toEqual({ do: 'record-flags', reasons: [], conflict: null });
  });
});

describe('a repeat of the send', () => {
  const dueToRepeat = () => manyNotFound(recovered(...ASKED), 12);

  it('is due after twelve not-founds', () => {
    expect(dueToRepeat().stage.name).toBe('sending');
    expect(nextStep(dueToRepeat(), NOW + 13 * pollActiveMs)).toMatchObject({ do: 'create' });
  });

  it('does not leave once the window is over, however long the bank was out of reach', () => {
    const later = NOW + settings.resendWindowMs;
    const step = nextStep(dueToRepeat(), later);
    expect(step).toMatchObject({ do: 'lookup' });
    const asked = lookup(dueToRepeat(), { kind: 'not-found' }, later);
    expect(asked.stage.name).toBe('looking-up');
    expect(openReasons(asked.flags)).toContain('OUTCOME_UNKNOWN');
    expect(nextRequest(asked, later)).toMatchObject({ do: 'wait', untilMs: later + pollDelayedMs });
  });

  it('that the journal denies is not tried again', () => {
    const denied = apply(dueToRepeat(), { kind: 'repeat-denied', atMs: NOW + 100_000 });
    expect(openReasons(denied.flags)).toEqual(['OUTCOME_UNKNOWN']);
    expect(nextRequest(denied, NOW + 100_000 + pollDelayedMs)).toMatchObject({ do: 'lookup' });
    expect(manyNotFound(denied, 30).stage.name).toBe('looking-up');
  });

  it('that the journal denies because the bank refused the only create: twelve look-ups confirm the refusal', () => {
    const refusal = { httpStatus: 422, code: null };
    const denied = apply(dueToRepeat(), { kind: 'repeat-denied', atMs: NOW + 100_000, refusal });
    expect(openReasons(denied.flags)).toEqual([]);
    expect(nextStep(denied, NOW + 100_000)).toMatchObject({ untilMs: NOW + 100_000 + pollActiveMs });
    expect(manyNotFound(denied, 11).stage.name).toBe('looking-up');
    expect(manyNotFound(denied, 12).stage).toMatchObject({
      ...{ name: 'ending', result: { status: 'REFUSED', decidedBy: 'bank', reason: 'HTTP 422' } },
    });
    const found = lookup(denied, shown({ status: 'IN_PROGRESS', echo: 'match' }), NOW + 120_000);
    expect(manyNotFound(found, 12).stage.name).toBe('polling');
  });

  it('a refusal does not count if this run knows of more sends than the journal', () => {
    const before = dueToRepeat();
    const refusal = { httpStatus: 422, code: null };
    for (const sends of [
      { ...before.sends, count: 2 },
      { ...before.sends, isCountKnown: false },
    ]) {
      const denied = apply({ ...before, sends }, { kind: 'repeat-denied', atMs: NOW + 100_000, refusal });
      expect(openReasons(denied.flags)).toEqual(['OUTCOME_UNKNOWN']);
      expect(manyNotFound(denied, 30).stage.name).toBe('looking-up');
    }
  });

  it('a first create that the journal denies: what the journal knows is read', () => {
    const denied = apply(recovered(), { kind: 'repeat-denied', atMs: NOW });
    expect(nextStep(denied, NOW)).toEqual({ do: 'receive' });
    expect(nextStep(receive(denied, NOW, lines(openedJournal(OPENED), doubted)), NOW + pollActiveMs)).toEqual(
      {
        do: 'lookup',
        number: 1,
      },
    );
  });
});

describe('a journal that is not the one this run knew', () => {
  it('ahead of it: what the journal holds is read again', () => {
    const state = apply(recovered(...ASKED), {
      ...{ kind: 'journal-out-of-order', atMs: NOW, lastNumber: 9 },
    });
    expect(nextStep(state, NOW)).toEqual({ do: 'receive' });
  });

  it('behind it: flagged, nothing is sent, and nothing asked where nothing was sent', () => {
    const unsent = recovered();
    expect(nextStep(unsent, NOW)).toEqual({ do: 'create', number: 1 });
    const state = apply(unsent, { kind: 'journal-out-of-order', atMs: NOW, lastNumber: 0 });
    expect(openReasons(state.flags)).toEqual(['JOURNAL_CONFLICT']);
    expect(nextRequest(state, NOW)).toMatchObject({ do: 'await-decision' });
    const cancelled = apply(state, { kind: 'cancel-requested', atMs: NOW });
    expect(nextRequest(cancelled, NOW)).toMatchObject({ do: 'await-decision' });
  });

  it('with another result: neither written over nor taken over', () => {
    const completed = lookup(recovered(...FOUND), shown({ status: 'COMPLETED', echo: 'match' }), NOW + 1);
    const { stage } = completed;
    if (stage.name !== 'ending') throw new Error(`no end is known: ${stage.name}`);
    const other = { ...stage.result, status: 'FAILED', annulmentId: 'a-1' } as const;
    const conflict = apply(completed, {
      kind: 'result-recorded',
      atMs: NOW + 2,
      result: other,
      conflict: true,
    });
    expect(openReasons(conflict.flags)).toEqual(['JOURNAL_CONFLICT']);
    const told = apply(conflict, { kind: 'already-ended', atMs: NOW + 3, result: other });
    expect(told.stage.name).toBe('ending');
    expect(nextRequest(told, NOW + 3)).toMatchObject({ do: 'wait', before: 'lookup' });
  });
});

describe('a journal that was restored from a backup', () => {
  it('without a create in it: the bank is asked, and nothing is sent without operators', () => {
    const state = recovered(doubted);
    expect(nextStep(state, NOW + pollActiveMs)).toEqual({ do: 'lookup', number: 1 });
    const asked = manyNotFound(state, 12);
    expect(openReasons(asked.flags)).toEqual(['OUTCOME_UNKNOWN']);
    expect(asked.stage.name).toBe('looking-up');
    expect(asked.sends).toMatchObject({ count: 1, firstAtMs: OPENED, lastAtMs: NOW - 30_000 });
  });

  it('nor can it be withdrawn: the backup may be older than a create', () => {
    const cancelled = apply(recovered(doubted), { kind: 'cancel-requested', atMs: NOW });
    expect(nextStep(cancelled, NOW + pollActiveMs)).toMatchObject({ do: 'lookup' });
  });

  it('with one create in it: Giro alone does not repeat it, because another one may be lost', () => {
    const asked = manyNotFound(recovered(...ASKED, doubted), 12);
    expect(openReasons(asked.flags)).toEqual(['OUTCOME_UNKNOWN']);
  });

  it('a movement that the bank has is taken over', () => {
    const known = lookup(recovered(doubted), shown({ status: 'COMPLETED', echo: 'match' }), NOW + 1);
    expect(known.stage).toMatchObject({ name: 'ending', result: { status: 'COMPLETED' } });
  });

  it("older than an open run: the run's knowledge stays valid, and numbers continue from the journal's last", () => {
    const run = lookup(recovered(...ASKED), shown({ status: 'DELAYED', echo: 'match' }), NOW);
    const journal = lines(
      openedJournal(OPENED),
      ...[80_000, 70_000].map((agoMs) => request(null, NOW - agoMs, 'lookup')),
      doubted,
    );
    const state = receive(run, NOW + 1, journal);
    expect(state).toMatchObject({
      stage: { name: 'polling' },
      sends: { count: 1 },
      // Answers have numbers of the lost timeline: the next not-found would compare as older than they.
      bank: { lastAnswer: null, lastNotFound: null },
    });
    expect(nextStep(state, NOW + 1)).toMatchObject({ do: 'wait', untilMs: NOW + pollDelayedMs });
    expect(nextStep(state, NOW + pollDelayedMs)).toEqual({ do: 'lookup', number: 3 });
  });

  it('the time of the last send is not earlier than the restoration', () => {
    expect(recovered(SENT, doubted).sends).toMatchObject({ count: 1, lastAtMs: NOW - 30_000 });
  });
});

describe('what was never sent', () => {
  it('look-ups alone are no doubt: it may be sent, and withdrawn', () => {
    const lookups = [80_000, 70_000, 60_000].map((agoMs) =>
      request({ kind: 'not-found' }, NOW - agoMs, 'lookup'),
    );
    const state = recovered(...lookups);
    expect(state.sends).toMatchObject({ count: 0, mayRepeat: true });
    expect(nextStep(state, NOW + pollActiveMs)).toEqual({ do: 'create', number: 4 });
    const cancelled = apply(state, { kind: 'cancel-requested', atMs: NOW });
    expect(nextStep(cancelled, NOW)).toEqual({ do: 'withdraw', number: 4 });
  });
});

describe('a create that is tried again under another journal', () => {
  it('counts as perhaps sent: looked up, neither sent nor withdrawn', () => {
    const state = apply(recovered(), { kind: 'create-in-doubt', atMs: NOW });
    expect(state.stage.name).toBe('looking-up');
    expect(state.sends).toMatchObject({ count: 1, mayRepeat: false, isCountKnown: false });
    expect(nextStep(state, NOW + pollActiveMs)).toEqual({ do: 'lookup', number: 1 });
    const cancelled = apply(manyNotFound(state, 12), { kind: 'cancel-requested', atMs: NOW + 70_000 });
    expect(openReasons(cancelled.flags)).toEqual(['OUTCOME_UNKNOWN']);
    expect(nextRequest(cancelled, NOW + pollDelayedMs * 2)).toMatchObject({ do: 'lookup' });
  });

  it('a run that may not repeat its create still may not after reading a journal that lacks the decision', () => {
    const own = recovered(...ASKED, decision('resumed', 'resume', ['OUTCOME_UNKNOWN']));
    const read = receive(
      { ...own, stage: { name: 'receiving' } },
      NOW,
      lines(openedJournal(OPENED), ...ASKED),
    );
    expect(read.sends).toMatchObject({ count: 1, mayRepeat: false });
    expect(manyNotFound(read, 12).stage.name).toBe('looking-up');
  });

  it('a step that was tried more than once asks the journal before the next try', () => {
    const given = apply(recovered(), { kind: 'step-gave-up', atMs: NOW });
    expect(given.sends.isTried).toBe(true);
    const deferred = apply(recovered(), { kind: 'request-deferred', atMs: NOW, afterMs: 10, isRetry: true });
    expect(deferred.sends.isTried).toBe(true);
    expect(apply(recovered(), { kind: 'request-deferred', atMs: NOW, afterMs: 10 }).sends.isTried).not.toBe(
      true,
    );
  });
});

describe('an end that operators accepted and that was not written down', () => {
  const state = recovered(
    ...found({ status: 'FAILED', echo: 'mismatch' }),
    decision('proposed', 'accept-failed', ['ECHO_MISMATCH']),
    decision('accepted', 'accept-failed', ['ECHO_MISMATCH'], 45_000),
    flagged(),
  );

  it('is void by a line, and the flag that it rested on is open again', () => {
    expect(openReasons(state.flags)).toEqual(['ECHO_MISMATCH']);
    const step = nextStep(state, NOW);
    expect(step).toMatchObject({
      do: 'record-decision',
      record: { id: 'void/run-1/2', outcome: 'voided', reason: 'the run was lost' },
    });
    const written = apply(state, { kind: 'decision-recorded', atMs: NOW, id: 'void/run-1/2' });
    expect(nextStep(written, NOW)).toEqual({
      do: 'record-flags',
      reasons: ['ECHO_MISMATCH'],
      conflict: null,
    });
  });
});

describe('a decision that is taken up while the journal is read again', () => {
  it("counts as written: what another worker's look-up reported after it is kept", () => {
    const run: TransferState = {
      ...recovered(...found({ status: 'IN_PROGRESS', echo: 'mismatch' }), flagged('ECHO_MISMATCH')),
      stage: { name: 'receiving' },
      decisions: {
        proposals: [],
        unrecorded: [
          {
            ...{ id: 'run-1/9', outcome: 'resumed', action: 'resume', operator: 'ana', operators: ['ana'] },
            ...{ reason: 'looked', bankStatus: null, flags: ['JOURNAL_CONFLICT', 'ECHO_MISMATCH'] },
            afterNumber: 2,
          },
        ],
      },
    };
    const ours = seen({ status: 'IN_PROGRESS', echo: 'other-id' });
    const journal = lines(
      openedJournal(OPENED),
      ...found({ status: 'IN_PROGRESS', echo: 'mismatch' }),
      // Its number is one that the deciding run did not know.
      request({ kind: 'movement', movement: ours }, NOW - 10_000, 'lookup'),
    );
    const live = receive(run, NOW + 1, journal);
    const written = withDecision(journal, run.decisions.unrecorded[0]!, NOW + 2);
    const rebuilt = receive(initialState(4711, NOW + 3), NOW + 3, written);
    expect(live.bank.echo.movementIds).toEqual([ours.movementId]);
    expect(live.bank).toMatchObject({ echo: rebuilt.bank.echo, movementId: rebuilt.bank.movementId });
  });
});

describe('an order that is not trusted', () => {
  const opened = receive(initialState(4711, NOW), NOW, null);
  const unbelieved = (state: TransferState): TransferState =>
    apply(state, {
      ...{ kind: 'create-ended', atMs: NOW + 1, startedAtMs: NOW, claimAgeMs: 0, inFlightMs: 0, settings },
      number: state.requests.lastNumber + 1,
      answer: {
        kind: 'not-sent',
        error: { code: 'ANOTHER_ORDER', httpStatus: null, retryAfterMs: null },
      },
    });
  const held = unbelieved(opened);

  it('where nothing was ever sent nothing is asked, and age is flagged', () => {
    const ageAtMs = NOW + settings.attentionAfterActiveMs;
    expect(nextRequest(held, NOW + 1)).toEqual({ do: 'await-decision', ageAtMs });
    expect(viewOf(held, String)).toMatchObject({ phase: 'held', nextPollAt: null, sends: 0 });
    const aged = apply(held, { kind: 'time-passed', atMs: ageAtMs });
    expect(openReasons(aged.flags)).toEqual(['ORDER_TAMPERED', 'OPEN_TOO_LONG']);
    expect(nextRequest(aged, ageAtMs)).toEqual({ do: 'await-decision', ageAtMs: null });
  });

  it('a cancel withdraws it', () => {
    const cancelled = apply(held, { kind: 'cancel-requested', atMs: NOW + 2 });
    const step = nextRequest(cancelled, NOW + 2);
    expect(step).toEqual({ do: 'withdraw', number: 2 });
    const withdrawn = apply(cancelled, { kind: 'withdrawal-granted', atMs: NOW + 3, number: 2 });
    expect(nextRequest(withdrawn, NOW + 3)).toMatchObject({
      do: 'record-result',
      result: { status: 'WITHDRAWN' },
    });
  });

  it('a withdrawal that was granted is the end, whatever flag a lost run has left', () => {
    const withdrawn: Line = (journal) => withClaim(journal, 'withdrawal', NOW - 30_000);
    const state = recovered(flagged('ORDER_TAMPERED'), withdrawn);
    expect(viewOf(state, String).mayDecide).toEqual([]);
    expect(nextRequest(state, NOW)).toMatchObject({
      do: 'record-result',
      result: { status: 'WITHDRAWN' },
    });
  });

  it('a resume judges it again; two operators may end it as REFUSED', () => {
    expect(viewOf(held, String).mayDecide.map(({ action, operators }) => [action, operators])).toEqual([
      ['resume', 1],
      ['accept-not-taken', 2],
    ]);
    const resumed = apply(held, {
      ...{ kind: 'decided', atMs: NOW + 2 },
      record: {
        ...{ id: 'run-1/1', outcome: 'resumed', action: 'resume', operator: 'ana', operators: ['ana'] },
        ...{ reason: 'limits are mended', bankStatus: null, flags: ['ORDER_TAMPERED'], afterNumber: 1 },
      },
    });
    const written = apply(resumed, { kind: 'decision-recorded', atMs: NOW + 3, id: 'run-1/1' });
    expect(nextRequest(written, NOW + pollActiveMs + 1)).toEqual({ do: 'create', number: 2 });
  });

  it('after a send it is looked up, and a resume sends nothing', () => {
    const sent = unbelieved({
      ...recovered(...ASKED),
      stage: { name: 'sending' },
    });
    expect(nextRequest(sent, NOW + pollDelayedMs + 1)).toMatchObject({ do: 'lookup' });
    const resumed = apply(sent, {
      ...{ kind: 'decided', atMs: NOW + 2 },
      record: {
        ...{ id: 'run-1/1', outcome: 'resumed', action: 'resume', operator: 'ana', operators: ['ana'] },
        ...{ reason: 'looked', bankStatus: null, flags: ['ORDER_TAMPERED'], afterNumber: 6 },
      },
    });
    expect(resumed).toMatchObject({ stage: { name: 'looking-up' }, sends: { mayRepeat: false } });
    expect(openReasons(manyNotFound(resumed, 12).flags)).toEqual(['OUTCOME_UNKNOWN']);
  });
});

describe('a write that the journal refuses', () => {
  const settled = lookup(recovered(...FOUND), shown({ status: 'FAILED', echo: 'match' }), NOW + 1);
  const refuse = (state: TransferState, atMs: number): TransferState =>
    apply(state, {
      ...{ kind: 'journal-refused', atMs, step: 'record-result', code: 'GR002', madeNumber: null },
      reason: 'answers name two movement ids',
    });
  const resume = (state: TransferState, atMs: number): TransferState =>
    apply(state, {
      ...{ kind: 'decided', atMs },
      record: {
        ...{ id: 'run-1/9', outcome: 'resumed', action: 'resume', operator: 'ana', operators: ['ana'] },
        ...{ reason: 'looked', bankStatus: null, flags: openReasons(state.flags) },
        afterNumber: state.requests.lastNumber,
      },
    });
  const again = (state: TransferState, atMs: number): TransferState => {
    const read = receive(
      { ...resume(state, atMs), decisions: { proposals: [], unrecorded: [] } },
      atMs,
      lines(openedJournal(OPENED), ...FOUND),
    );
    return refuse(
      lookup(read, shown({ status: 'FAILED', echo: 'match' }), atMs + pollActiveMs),
      atMs + 6_000,
    );
  };

  it('is flagged with its reason, and not written again before operators resume', () => {
    const state = refuse(settled, NOW + 2);
    expect(viewOf(state, String)).toMatchObject({
      attentionReasons: ['JOURNAL_CONFLICT'],
      journalConflict: 'answers name two movement ids',
    });
    expect(nextStep(state, NOW + 2)).toMatchObject({
      do: 'record-flags',
      conflict: 'answers name two movement ids',
    });
    expect(nextRequest(state, NOW + 2)).toMatchObject({ do: 'wait', before: 'lookup' });
    expect(viewOf(state, String).mayDecide.map(({ action }) => action)).toEqual(['resume']);
    expect(nextStep(resume(state, NOW + 3), NOW + 3).do).toBe('receive');
  });

  it('refused again for the same reason: operators may decide as about a mismatch', () => {
    const state = again(refuse(settled, NOW + 2), NOW + 60_000);
    expect(viewOf(state, String).mayDecide.map(({ action }) => action)).toEqual(['accept-failed', 'resume']);
  });

  it('of the order itself: nothing is asked in a loop', () => {
    const state = apply(initialState(4711, NOW), {
      ...{
        kind: 'journal-refused',
        atMs: NOW,
        step: 'receive',
        code: '23514',
        madeNumber: null,
        reason: 'a check',
      },
    });
    expect(nextStep(state, NOW)).toEqual({ do: 'wait', before: 'receive', untilMs: NOW + pollDelayedMs });
    expect(viewOf(state, String).mayDecide.map(({ action }) => action)).toEqual(['resume']);
    expect(nextStep(resume(state, NOW + 1), NOW + 1)).toEqual({ do: 'receive' });
  });

  it('of flags: shown by the engine, and not tried again in a loop', () => {
    const held = lookup(recovered(...FOUND), shown({ status: 'FAILED', echo: 'mismatch' }), NOW + 1);
    const state = apply(held, {
      ...{
        kind: 'journal-refused',
        atMs: NOW,
        step: 'record-flags',
        code: '23514',
        madeNumber: null,
        reason: 'a check',
      },
    });
    expect(openReasons(state.flags)).toEqual(['JOURNAL_CONFLICT', 'ECHO_MISMATCH']);
    expect(nextStep(state, NOW)).toMatchObject({ do: 'wait' });
  });

  it('of the answer to a create that was made: it counts as sent', () => {
    const state = apply(recovered(), {
      ...{
        kind: 'journal-refused',
        atMs: NOW,
        step: 'create',
        code: 'GR002',
        madeNumber: 1,
        reason: 'a guard',
      },
    });
    expect(state.sends).toMatchObject({ count: 1, mayRepeat: false });
    expect(nextRequest(state, NOW + pollDelayedMs)).toEqual({ do: 'lookup', number: 2 });
  });
});

describe('age', () => {
  const tooLong = settings.attentionAfterActiveMs;

  it('counts before the receipt', () => {
    const state = apply(initialState(4711, NOW), { kind: 'step-gave-up', atMs: NOW + tooLong });
    expect(openReasons(state.flags)).toEqual(['OPEN_TOO_LONG']);
  });

  it('counts while an end waits to be written down, from when it is known', () => {
    const settled = lookup(
      recovered(...FOUND),
      shown({ status: 'FAILED', echo: 'match' }),
      NOW + 2 * tooLong,
    );
    expect(openReasons(settled.flags)).toEqual([]);
    const stuck = apply(settled, { kind: 'step-gave-up', atMs: NOW + 3 * tooLong });
    expect(openReasons(stuck.flags)).toEqual(['OPEN_TOO_LONG']);
  });
});

it('a flag that the journal has open is closed there before an end that another run wrote', () => {
  const state = receive(
    initialState(4711, NOW),
    NOW,
    lines(openedJournal(NOW - settings.attentionAfterActiveMs), SENT, flagged('OPEN_TOO_LONG')),
  );
  expect(openReasons(state.flags)).toEqual(['OPEN_TOO_LONG']);
  const result: TransferResult = {
    originId: 4711,
    status: 'REFUSED',
    movementId: null,
    network: null,
    networkId: null,
    amount: { currency: '032', value: '1500.25' },
    annulmentId: null,
    decidedBy: 'bank',
    reason: null,
    orderSha256: 'f'.repeat(64),
  };
  const ended = apply(state, { kind: 'already-ended', atMs: NOW, result });
  expect(nextStep(ended, NOW)).toEqual({ do: 'record-flags', reasons: [], conflict: null });
  const told = apply(ended, { kind: 'flags-recorded', atMs: NOW, reasons: [] });
  expect(nextStep(told, NOW)).toEqual({ do: 'end', result });
});

describe('the emergency brake', () => {
  const stop = { at: '2026-01-05T10:00:00.000Z', operator: 'ana', reason: 'the bank asked us to' };
  const heldBack = (state: TransferState, atMs: number) =>
    apply(state, { kind: 'held-back', atMs, startedAtMs: atMs, stop });

  it('pauses double from 15 s to 5 min; a hint ends one', () => {
    let state = heldBack(recovered(), NOW);
    const pauses: number[] = [];
    let nowMs = NOW;
    for (let i = 0; i < 7; i += 1) {
      const step = nextStep(state, nowMs);
      if (step.do !== 'wait') throw new Error(`it does not wait: ${step.do}`);
      pauses.push(step.untilMs - nowMs);
      nowMs = step.untilMs;
      state = heldBack(state, nowMs);
    }
    expect(pauses).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
    const hinted = apply(state, { kind: 'hinted', atMs: nowMs + 1 });
    expect(nextRequest(hinted, nowMs + 1)).toEqual({ do: 'create', number: 1 });
    expect(nextRequest(heldBack(hinted, nowMs + 2), nowMs + 2)).toMatchObject({ do: 'wait' });
  });

  it('a cancel withdraws what waits, at once', () => {
    const cancelled = apply(heldBack(recovered(), NOW), { kind: 'cancel-requested', atMs: NOW });
    expect(nextStep(cancelled, NOW)).toEqual({ do: 'withdraw', number: 1 });
  });

  it('a repeat that was due is looked up, twelve times, before it is tried again', () => {
    const state = heldBack(manyNotFound(recovered(...ASKED), 12), NOW + 12 * pollActiveMs);
    expect(state.stage.name).toBe('looking-up');
    expect(nextStep(state, NOW + 13 * pollActiveMs)).toMatchObject({ do: 'lookup' });
    expect(manyNotFound(state, 11).stage.name).toBe('looking-up');
    expect(manyNotFound(state, 12).stage.name).toBe('sending');
    expect(viewOf(state, String).sendingStopped).toEqual(stop);
  });

  it('a send that operators wanted again: looked up, and flagged until they decide it anew', () => {
    const resent = recovered(...ASKED, decision('accepted', 'resend', ['OUTCOME_UNKNOWN']));
    const state = heldBack({ ...resent, stage: { name: 'sending' } }, NOW);
    expect(openReasons(state.flags)).toEqual(['OUTCOME_UNKNOWN']);
    expect(nextRequest(state, NOW + pollDelayedMs)).toMatchObject({ do: 'lookup' });
    expect(manyNotFound(state, 24).stage.name).toBe('looking-up');
  });
});
