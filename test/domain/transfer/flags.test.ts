import { apply } from '../../../src/domain/transfer/apply';
import { UNBELIEVED_ORDERS } from '../../../src/domain/transfer/answers';
import type { CreateAnswer, LookupAnswer, UnbelievedOrder } from '../../../src/domain/transfer/answers';
import { ATTENTION_REASONS, openReasons } from '../../../src/domain/transfer/flags';
import type { AttentionReason } from '../../../src/domain/transfer/flags';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import { initialState } from '../../../src/domain/transfer/state';
import type { TransferState } from '../../../src/domain/transfer/state';
import { receive } from './received';
import { seen } from './world';
import type { LookupMovement } from './world';

const settings = DEFAULT_TRANSFER_SETTINGS;
const OPENED = 1_000_000;

const opened = receive(initialState(4711, OPENED), OPENED, null);

type Happens = (state: TransferState) => TransferState;

/** One request, a poll's gap after the one before. */
function request(
  state: TransferState,
  asked: { kind: 'lookup-ended'; answer: LookupAnswer } | { kind: 'create-ended'; answer: CreateAnswer },
): TransferState {
  const latestMs = Math.max(state.requests.lastEndedAtMs ?? OPENED, ...Object.values(state.flags));
  const atMs = latestMs + settings.pollActiveMs;
  const number = state.requests.lastNumber + 1;
  const timing = { atMs, startedAtMs: atMs, number, settings, inFlightMs: 0 };
  return apply(
    state,
    asked.kind === 'create-ended' ? { ...asked, ...timing, claimAgeMs: 0 } : { ...asked, ...timing },
  );
}

const created =
  (answer: CreateAnswer): Happens =>
  (state) =>
    request(state, { kind: 'create-ended', answer });
const asked =
  (answer: LookupAnswer, times = 1): Happens =>
  (state) =>
    Array.from({ length: times }).reduce<TransferState>(
      (now) => request(now, { kind: 'lookup-ended', answer }),
      state,
    );

const movement = (status: string, echo: LookupMovement['echo'] = 'match') =>
  ({ kind: 'movement', movement: seen({ status, echo }) }) as const;
const told = (status: string, echo?: LookupMovement['echo']): Happens => asked(movement(status, echo));
const taken = created({ kind: 'answered', movement: seen({ status: 'CREATED', echo: 'match' }) });
const error = (code: 'TIMEOUT' | 'UNAUTHORIZED' | UnbelievedOrder) => ({
  code,
  httpStatus: null,
  retryAfterMs: null,
});
const unclear = created({ kind: 'unknown', error: error('TIMEOUT') });
const nothing = asked({ kind: 'not-found' }, 12);
const shut = asked({ kind: 'no-answer', error: error('UNAUTHORIZED') }, 12);
const hinted =
  (afterMs: number): Happens =>
  (state) =>
    apply(state, { kind: 'hinted', atMs: OPENED + afterMs });
const resumed: Happens = (state) =>
  apply(state, {
    ...{ kind: 'decided', atMs: OPENED },
    record: {
      ...{ id: 'run-1/1', outcome: 'resumed', action: 'resume', operator: 'ana', operators: ['ana'] },
      ...{ reason: 'checked', bankStatus: null, flags: openReasons(state.flags) },
      afterNumber: state.requests.lastNumber,
    },
  });

const after = (...happens: readonly Happens[]): AttentionReason[] =>
  openReasons(happens.reduce((state, happen) => happen(state), opened).flags);

/** What raises each flag, what leaves it open, and what clears it. */
const FLAGS: Record<AttentionReason, { raise: Happens[]; stays: Happens; clears: Happens[] }> = {
  OUTCOME_UNKNOWN: {
    raise: [unclear, nothing, unclear, nothing, unclear, nothing],
    stays: shut,
    clears: [told('CREATED'), told('COMPLETED')],
  },
  VANISHED: { raise: [taken, nothing], stays: nothing, clears: [told('CREATED'), told('IN_PROGRESS')] },
  ECHO_MISMATCH: {
    raise: [taken, told('COMPLETED', 'mismatch')],
    stays: asked({ kind: 'not-found' }),
    clears: [told('CREATED'), told('COMPLETED')],
  },
  ECHO_INCOMPLETE: {
    raise: [taken, told('COMPLETED', 'incomplete')],
    stays: asked({ kind: 'not-found' }),
    clears: [told('IN_PROGRESS'), told('IN_PROGRESS', 'incomplete'), told('COMPLETED')],
  },
  STATUS_UNKNOWN: {
    raise: [taken, told('RETURNED')],
    stays: told('REVIEW'),
    clears: [told('IN_PROGRESS'), told('COMPLETED')],
  },
  BANK_UNAUTHORIZED: {
    raise: [unclear, shut],
    stays: asked({ kind: 'no-answer', error: error('TIMEOUT') }),
    clears: [asked({ kind: 'not-found' }), told('CREATED'), taken],
  },
  OPEN_TOO_LONG: {
    raise: [taken, hinted(settings.attentionAfterActiveMs)],
    stays: told('IN_PROGRESS'),
    // A day is allowed for DELAYED.
    clears: [told('DELAYED'), told('COMPLETED')],
  },
  ORDER_TAMPERED: {
    raise: [unclear, nothing, created({ kind: 'not-sent', error: error('ANOTHER_ORDER') })],
    stays: asked({ kind: 'not-found' }),
    clears: [told('CREATED'), told('COMPLETED')],
  },
  JOURNAL_CONFLICT: {
    raise: [taken, (state) => apply(state, { kind: 'journal-out-of-order', atMs: OPENED, lastNumber: 0 })],
    stays: told('COMPLETED'),
    // No answer of the bank explains the journal: a person has to.
    clears: [resumed],
  },
};

describe.each(ATTENTION_REASONS)('%s', (reason) => {
  const { raise, stays, clears } = FLAGS[reason];

  it('is raised by its cause, and not a step before', () => {
    expect(after(...raise.slice(0, -1))).toEqual([]);
    expect(after(...raise)).toEqual([reason]);
  });

  it('stays while its cause does', () => {
    expect(after(...raise, stays)).toContain(reason);
  });

  it(
    reason === 'JOURNAL_CONFLICT' ? 'clears when an operator resumes' : 'clears when its cause is gone',
    () => {
      for (const clear of clears) expect(after(...raise, clear)).toEqual([]);
    },
  );
});

it('only operators clear a mismatch of originId or movement id, whatever the bank says later', () => {
  for (const echo of ['other-origin', 'other-id'] as const) {
    expect(after(taken, told('CREATED', echo), told('COMPLETED'))).toEqual(['ECHO_MISMATCH']);
  }
});

it('a movement that was found with a wrong echo vanishes as any other', () => {
  const found = told('CREATED', 'mismatch');
  expect(after(unclear, found, nothing)).toEqual(['ECHO_MISMATCH', 'VANISHED']);
  expect(after(unclear, found, nothing, told('IN_PROGRESS'))).toEqual([]);
});

it('answers 401 count only running: a create that the bank answers ends the run', () => {
  const eleven = asked({ kind: 'no-answer', error: error('UNAUTHORIZED') }, 11);
  expect(after(unclear, eleven, taken, eleven)).toEqual([]);
});

it.each(['IN_CLEAR', 'ANOTHER_ORDER', 'ANOTHER_BODY', 'BEYOND_LIMITS'] as const)(
  '%s holds a transfer, and the claim of that create counts',
  (code) => {
    const held = created({ kind: 'not-sent', error: error(code) })(opened);
    expect(openReasons(held.flags)).toEqual(['ORDER_TAMPERED']);
    expect(UNBELIEVED_ORDERS[code]).toMatch(/order/);
    expect(held.requests.lastNumber).toBe(opened.requests.lastNumber + 1);
    expect(held.sends.count).toBe(0);
  },
);
