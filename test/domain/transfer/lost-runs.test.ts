import { CLAIM_ANSWER_MS } from '../../../src/domain/transfer/claim-answer';
import { apply } from '../../../src/domain/transfer/apply';
import type { LookupAnswer } from '../../../src/domain/transfer/answers';
import { openReasons } from '../../../src/domain/transfer/flags';
import { nextStep } from '../../../src/domain/transfer/next-step';
import { NO_PAST } from '../../../src/domain/transfer/past';
import type { TransferPast } from '../../../src/domain/transfer/past';
import type { TransferResult } from '../../../src/domain/transfer/result';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import { initialState } from '../../../src/domain/transfer/state';
import type { TransferState } from '../../../src/domain/transfer/state';
import { viewOf } from '../../../src/domain/transfer/view';
import { seen } from './world';

const NOW = 10_000_000;
const settings = DEFAULT_TRANSFER_SETTINGS;
const { pollActiveMs, pollDelayedMs } = settings;

/** A run that follows a lost one, right after its receipt. */
function recovered(past: Partial<TransferPast>): TransferState {
  const started = apply(initialState(4711, NOW), { kind: 'cancel-requested', atMs: NOW });
  return apply(
    { ...started, cancelRequestedAtMs: null },
    {
      kind: 'received',
      atMs: NOW,
      orderSha256: 'f'.repeat(64),
      amountValue: '1500.25',
      settings,
      past: { ...ASKED, ...past },
    },
  );
}

const ASKED: TransferPast = {
  ...NO_PAST,
  lastNumber: 5,
  lastClaim: { kind: 'lookup', agoMs: 60_000, answered: false, retryAfterMs: null },
  sends: 1,
  sinceFirstSendMs: 120_000,
  sinceLastSendMs: 120_000,
  polls: 4,
  sinceOpenedMs: 120_000,
};
const FOUND = { status: 'IN_PROGRESS', movementId: '900100', network: null, networkId: null, sinceMs: 9_000 };

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

function manyNotFound(state: TransferState, times: number): TransferState {
  let current = state;
  for (let i = 1; i <= times; i += 1)
    current = lookup(current, { kind: 'not-found' }, NOW + i * pollActiveMs);
  return current;
}

/** The step after everything that is told to the journal. */
function nextRequest(state: TransferState, nowMs: number) {
  const step = nextStep(state, nowMs);
  return step.do === 'record-flags'
    ? nextStep({ ...state, recordedReasons: openReasons(state.flags) }, nowMs)
    : step;
}

describe('a run after a lost one', () => {
  it('goes on by look-up and waits the gap of the last word first', () => {
    const state = recovered({ lastMovement: FOUND, lastWord: 'IN_PROGRESS', sawMovement: true });
    expect(nextStep(state, NOW)).toEqual({ do: 'wait', before: 'lookup', untilMs: NOW + pollActiveMs });
    expect(nextStep(state, NOW + pollActiveMs)).toEqual({ do: 'lookup', number: 6 });
  });

  it('keeps the gap of DELAYED, also when the word came with a wrong echo', () => {
    const state = recovered({ lastWord: 'DELAYED', sawMovement: true });
    expect(nextStep(state, NOW)).toMatchObject({ do: 'wait', untilMs: NOW + pollDelayedMs });
  });

  it('counts the gap from the latest end of a request that may be under way', () => {
    const state = recovered({
      lastClaim: { kind: 'create', agoMs: 1_000, answered: false, retryAfterMs: null },
    });
    expect(nextStep(state, NOW)).toMatchObject({
      do: 'wait',
      untilMs: NOW + 30_000 + CLAIM_ANSWER_MS - 1_000 + pollActiveMs,
    });
  });

  it('waits no longer than the gap when the last answer is recorded', () => {
    const lastClaim = { kind: 'create', agoMs: 1_000, answered: true, retryAfterMs: null } as const;
    expect(nextStep(recovered({ lastClaim }), NOW)).toMatchObject({
      do: 'wait',
      untilMs: NOW + pollActiveMs,
    });
  });

  it('counts not-founds anew when it reads the journal in the middle of a round', () => {
    const counted = manyNotFound(recovered({}), 11);
    const read = apply(
      { ...counted, stage: { name: 'receiving' } },
      {
        kind: 'received',
        atMs: NOW + 100_000,
        orderSha256: 'f'.repeat(64),
        amountValue: '1500.25',
        settings,
        past: { ...ASKED, lastNumber: 17, sends: 2, sinceFirstSendMs: 120_000, sinceLastSendMs: 1_000 },
      },
    );
    const asked = manyNotFound(read, 11);
    expect(asked.bank.notFoundRun).toBe(11);
    expect(nextRequest(asked, NOW + 300_000)).toMatchObject({ do: 'lookup' });
    expect(nextRequest(manyNotFound(asked, 1), NOW + 300_000)).toMatchObject({ do: 'create' });
  });

  it('keeps the Retry-After of the last answer', () => {
    const state = recovered({
      lastClaim: { kind: 'lookup', agoMs: 60_000, answered: true, retryAfterMs: 3_600_000 },
    });
    expect(nextStep(state, NOW)).toMatchObject({
      do: 'wait',
      untilMs: NOW + 3_600_000 - 60_000 + 5_000 + CLAIM_ANSWER_MS,
    });
  });

  it('does not send again what a look-up once saw with a wrong echo', () => {
    const state = manyNotFound(recovered({ sawMovement: true }), 12);
    expect(state.stage.name).toBe('polling');
    expect(nextRequest(state, NOW + 10 * pollDelayedMs)).toMatchObject({ do: 'lookup' });
  });

  it('does not take as refused what a look-up once saw', () => {
    const refusal = { httpStatus: 422, code: null };
    expect(manyNotFound(recovered({ refusal, sawMovement: true }), 12).stage.name).toBe('polling');
    expect(manyNotFound(recovered({ refusal }), 12).stage).toMatchObject({
      name: 'settling',
      result: { status: 'REFUSED' },
    });
  });

  it('stays held when answers named two movements: a FAILED is not annulled by itself', () => {
    const state = recovered({ lastMovement: FOUND, sawMovement: true, identityDoubted: true });
    expect(openReasons(state.flags)).toEqual(['ECHO_MISMATCH']);
    const failed = lookup(
      state,
      { kind: 'movement', movement: seen({ status: 'FAILED', echo: 'match' }) },
      NOW + 1,
    );
    expect(failed.stage.name).toBe('polling');
    expect(openReasons(failed.flags)).toEqual(['ECHO_MISMATCH']);
  });

  it('has the flags that the journal has, and tells it when they are gone', () => {
    const state = recovered({ openFlags: ['OUTCOME_UNKNOWN'] });
    expect(nextStep(state, NOW)).toMatchObject({ do: 'wait', untilMs: NOW + pollDelayedMs });
    const found = lookup(
      state,
      { kind: 'movement', movement: seen({ status: 'COMPLETED', echo: 'match' }) },
      NOW + 1,
    );
    expect(nextStep(found, NOW + 1)).toEqual({ do: 'record-flags', reasons: [] });
  });
});

describe('a repeat of the send', () => {
  const dueToRepeat = () => manyNotFound(recovered({}), 12);

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

  it('that the journal denies by its own clock is not tried again', () => {
    const denied = apply(dueToRepeat(), { kind: 'repeat-denied', atMs: NOW + 100_000 });
    expect(openReasons(denied.flags)).toEqual(['OUTCOME_UNKNOWN']);
    expect(nextRequest(denied, NOW + 100_000 + pollDelayedMs)).toMatchObject({ do: 'lookup' });
    expect(manyNotFound(denied, 30).stage.name).toBe('looking-up');
  });
});

describe('a journal that is not the one this run knew', () => {
  it('ahead of it: what the journal holds is read again', () => {
    const state = apply(recovered({}), { kind: 'journal-out-of-order', atMs: NOW, lastNumber: 9 });
    expect(nextStep(state, NOW)).toEqual({ do: 'receive' });
  });

  it('behind it: flagged, nothing is sent, asked at the delayed cadence', () => {
    const unsent = recovered({ ...NO_PAST });
    expect(nextStep(unsent, NOW)).toEqual({ do: 'create', number: 1 });
    const state = apply(unsent, { kind: 'journal-out-of-order', atMs: NOW, lastNumber: 0 });
    expect(openReasons(state.flags)).toEqual(['JOURNAL_CONFLICT']);
    expect(nextRequest(state, NOW)).toMatchObject({
      do: 'wait',
      before: 'lookup',
      untilMs: NOW + pollDelayedMs,
    });
    const cancelled = apply(state, { kind: 'cancel-requested', atMs: NOW });
    expect(nextRequest(cancelled, NOW)).toMatchObject({ do: 'wait' });
  });

  it('with another result: neither written over nor taken over', () => {
    const completed = lookup(
      recovered({ lastMovement: FOUND, sawMovement: true }),
      { kind: 'movement', movement: seen({ status: 'COMPLETED', echo: 'match' }) },
      NOW + 1,
    );
    const { stage } = completed;
    if (stage.name !== 'settling') throw new Error('it should be settling');
    const other = { ...stage.result, status: 'FAILED', annulmentId: 'a-1' } as const;
    const conflict = apply(completed, {
      kind: 'result-recorded',
      atMs: NOW + 2,
      result: other,
      conflict: true,
    });
    expect(openReasons(conflict.flags)).toEqual(['JOURNAL_CONFLICT']);
    const told = apply(conflict, { kind: 'already-ended', atMs: NOW + 3, result: other });
    expect(told.stage.name).toBe('settling');
    expect(nextRequest(told, NOW + 3)).toMatchObject({ do: 'wait', before: 'lookup' });
  });
});

describe('a journal that was restored from a backup', () => {
  const restored = (past: Partial<TransferPast>) => recovered({ ...past, sinceRestoredMs: 30_000 });
  const unsent = { ...NO_PAST, sinceOpenedMs: 120_000 };

  it('without a create in it: the bank is asked, and nothing is sent by itself', () => {
    const state = restored(unsent);
    expect(nextStep(state, NOW)).toEqual({ do: 'lookup', number: 1 });
    const asked = manyNotFound(state, 12);
    expect(openReasons(asked.flags)).toEqual(['OUTCOME_UNKNOWN']);
    expect(asked.stage.name).toBe('looking-up');
    expect(asked.sends).toMatchObject({ count: 1, firstAtMs: NOW - 120_000, lastAtMs: NOW - 30_000 });
  });

  it('nor can it be withdrawn: the backup may be older than a create', () => {
    const cancelled = apply(restored(unsent), { kind: 'cancel-requested', atMs: NOW });
    expect(nextStep(cancelled, NOW)).toMatchObject({ do: 'lookup' });
  });

  it('with one create in it: it is not repeated by itself, another one may be lost', () => {
    const asked = manyNotFound(restored({}), 12);
    expect(openReasons(asked.flags)).toEqual(['OUTCOME_UNKNOWN']);
  });

  it('a movement that the bank has is taken over', () => {
    const found = lookup(
      restored(unsent),
      { kind: 'movement', movement: seen({ status: 'COMPLETED', echo: 'match' }) },
      NOW + 1,
    );
    expect(found.stage).toMatchObject({ name: 'settling', result: { status: 'COMPLETED' } });
  });

  it('older than a run that is open: what the run knows stands, and numbers go on from the journal', () => {
    const run = lookup(
      recovered({}),
      { kind: 'movement', movement: seen({ status: 'DELAYED', echo: 'match' }) },
      NOW,
    );
    const state = apply(run, {
      kind: 'received',
      atMs: NOW + 1,
      orderSha256: 'f'.repeat(64),
      amountValue: '1500.25',
      settings,
      past: { ...NO_PAST, lastNumber: 2, sends: 0 },
    });
    expect(state).toMatchObject({
      stage: { name: 'polling' },
      sends: { count: 1 },
      // Answers have numbers of the lost timeline: the next not-found would compare as older than they.
      bank: { lastAnswer: null, lastNotFound: null },
    });
    expect(nextStep(state, NOW + 1)).toMatchObject({ do: 'wait', untilMs: NOW + pollDelayedMs });
    expect(nextStep(state, NOW + pollDelayedMs)).toEqual({ do: 'lookup', number: 3 });
  });
});

describe('what the journal has lost of a transfer', () => {
  const conflict = (state: TransferState, perhapsSent?: true) =>
    apply(state, {
      ...{ kind: 'journal-out-of-order', atMs: NOW, lastNumber: 0 },
      ...(perhapsSent === undefined ? {} : { perhapsSent }),
    });
  const resumed = (state: TransferState, past: Partial<TransferPast>) =>
    apply(
      { ...state, flags: {}, stage: { name: 'receiving' } },
      {
        ...{ kind: 'received', atMs: NOW + 1, orderSha256: 'f'.repeat(64), amountValue: '1500.25', settings },
        past: { ...NO_PAST, ...past },
      },
    );

  it('look-ups alone: a create is lost, so it is asked about, and neither sent nor withdrawn', () => {
    const state = recovered({ ...NO_PAST, lastNumber: 4, polls: 4, sinceOpenedMs: 120_000 });
    expect(state.stage.name).toBe('looking-up');
    expect(state.sends).toMatchObject({ count: 1, mayRepeat: false, lastAtMs: NOW });
    const cancelled = apply(manyNotFound(state, 12), { kind: 'cancel-requested', atMs: NOW });
    expect(openReasons(cancelled.flags)).toEqual(['OUTCOME_UNKNOWN']);
    expect(nextRequest(cancelled, NOW + pollDelayedMs * 2)).toMatchObject({ do: 'lookup' });
  });

  it('the claim of a create whose step is repeated: perhaps sent, before and after the resume', () => {
    const state = conflict(recovered({ ...NO_PAST }), true);
    expect(openReasons(state.flags)).toEqual(['JOURNAL_CONFLICT']);
    for (const past of [{}, { sinceRestoredMs: 0 }, { lastNumber: 2, sinceOpenedMs: 5_000 }]) {
      const read = resumed(state, past);
      expect(read.stage.name).toBe('looking-up');
      expect(read.sends).toMatchObject({ count: 1, mayRepeat: false, isCountKnown: false });
      expect(manyNotFound(read, 13).stage.name).toBe('looking-up');
    }
  });

  it('the claim of a step that was tried once: nothing went out, and it may', () => {
    expect(nextStep(resumed(conflict(recovered({ ...NO_PAST })), {}), NOW + pollActiveMs)).toEqual({
      do: 'create',
      number: 1,
    });
  });

  it('nothing after all: who took the repeat away does not give it back by reading', () => {
    const own = recovered({ operatorsTookOver: true });
    const read = resumed(own, { ...ASKED });
    expect(read.sends).toMatchObject({ count: 1, mayRepeat: false });
    expect(manyNotFound(read, 12).stage.name).toBe('looking-up');
  });

  it('the time of the last send is not earlier than the restoration', () => {
    const known = { sinceRestoredMs: 30_000, sinceOpenedMs: 90_000_000 };
    const sent = { sends: 1, sinceFirstSendMs: 90_000_000, sinceLastSendMs: 90_000_000 };
    expect(recovered({ ...known, ...sent }).sends).toMatchObject({ count: 1, lastAtMs: NOW - 30_000 });
  });
});

describe('an end that operators accepted and that was not written down', () => {
  const state = recovered({
    ...{ lastMovement: FOUND, lastWord: 'FAILED', sawMovement: true, openFlags: [] },
    lostAcceptance: { id: 'run-1/2', openFlags: ['ECHO_MISMATCH'] },
  });

  it('is void by a line, and the flag that it rested on is open again', () => {
    expect(openReasons(state.flags)).toEqual(['ECHO_MISMATCH']);
    const step = nextStep(state, NOW);
    expect(step).toMatchObject({
      do: 'record-decision',
      record: { id: 'void/run-1/2', outcome: 'voided', reason: 'the run was lost' },
    });
    const written = apply(state, { kind: 'decision-recorded', atMs: NOW, id: 'void/run-1/2' });
    expect(nextStep(written, NOW)).toEqual({ do: 'record-flags', reasons: ['ECHO_MISMATCH'] });
  });
});

it('a flag that the journal has open is closed there before an end that another run wrote', () => {
  const state = recovered({ openFlags: ['OPEN_TOO_LONG'], sinceOpenedMs: settings.attentionAfterActiveMs });
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
  expect(nextStep(ended, NOW)).toEqual({ do: 'record-flags', reasons: [] });
  const told = apply(ended, { kind: 'flags-recorded', atMs: NOW, reasons: [] });
  expect(nextStep(told, NOW)).toEqual({ do: 'end', result });
});

describe('the emergency brake', () => {
  const stop = { at: '2026-01-05T10:00:00.000Z', operator: 'ana', reason: 'the bank asked us to' };
  const heldBack = (state: TransferState, atMs: number) =>
    apply(state, { kind: 'held-back', atMs, startedAtMs: atMs, stop });

  it('pauses double from 15 s to 5 min; a hint ends one', () => {
    let state = heldBack(recovered(NO_PAST), NOW);
    const pauses: number[] = [];
    let nowMs = NOW;
    for (let i = 0; i < 7; i += 1) {
      const step = nextStep(state, nowMs);
      if (step.do !== 'wait') throw new Error('it should wait');
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
    const cancelled = apply(heldBack(recovered(NO_PAST), NOW), { kind: 'cancel-requested', atMs: NOW });
    expect(nextStep(cancelled, NOW)).toEqual({ do: 'withdraw', number: 1 });
  });

  it('a repeat that was due is looked up, twelve times, before it is tried again', () => {
    const state = heldBack(manyNotFound(recovered({}), 12), NOW + 12 * pollActiveMs);
    expect(state.stage.name).toBe('looking-up');
    expect(nextStep(state, NOW + 13 * pollActiveMs)).toMatchObject({ do: 'lookup' });
    expect(manyNotFound(state, 11).stage.name).toBe('looking-up');
    expect(manyNotFound(state, 12).stage.name).toBe('sending');
    expect(viewOf(state, String).sendingStopped).toEqual(stop);
  });

  it('a send that operators wanted again: looked up, and flagged until they decide it anew', () => {
    const resent = recovered({ operatorsTookOver: true });
    const state = heldBack({ ...resent, stage: { name: 'sending' } }, NOW);
    expect(openReasons(state.flags)).toEqual(['OUTCOME_UNKNOWN']);
    expect(nextRequest(state, NOW + pollDelayedMs)).toMatchObject({ do: 'lookup' });
    expect(manyNotFound(state, 24).stage.name).toBe('looking-up');
  });
});
