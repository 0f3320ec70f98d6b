import type { EchoField } from '../../../src/domain/echo';
import type { LookupAnswer } from '../../../src/domain/transfer/answers';
import { apply } from '../../../src/domain/transfer/apply';
import type { DecisionAction } from '../../../src/domain/transfer/decisions/decision';
import { DECISION_ACTIONS } from '../../../src/domain/transfer/decisions/decision';
import type { AttentionReason } from '../../../src/domain/transfer/flags';
import { ATTENTION_REASONS, openReasons } from '../../../src/domain/transfer/flags';
import { judgeDecision, openDecisions } from '../../../src/domain/transfer/decisions/judge-decision';
import { nextStep } from '../../../src/domain/transfer/next-step';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import { initialState } from '../../../src/domain/transfer/state';
import type { TransferState } from '../../../src/domain/transfer/state';
import { NO_ECHO } from '../../../src/domain/transfer/echo-state';
import { openedJournal, withDecision } from '../../../dev/explore/journal-model';
import { lines, receive, request } from './received';
import { seen } from './world';
import type { LookupMovement } from './world';

const settings = { ...DEFAULT_TRANSFER_SETTINGS, deciders: ['ana', 'luis', 'eva'] };
const SENT = 1_000_000;
const DAY_MS = 86_400_000;
/** The last look-up. */
const ASKED = SENT + 120_000;
const SOON = ASKED + 1_000;

interface Given {
  readonly flags: readonly AttentionReason[];
  /** What the last look-up brought; default: not found. */
  readonly last?: LookupMovement;
  readonly sends?: number;
  readonly isCountKnown?: boolean;
  readonly foundByLookup?: boolean;
  readonly askedAtMs?: number;
  readonly stage?: TransferState['stage'];
}

/** A transfer that was sent at `SENT` and asked since. */
function given({ flags, last, sends = 1, isCountKnown = true, ...rest }: Given): TransferState {
  const { foundByLookup, askedAtMs = ASKED, stage } = rest;
  const state = initialState(4711, SENT);
  const movement = last === undefined ? null : { ...seen(last), number: 9, atMs: askedAtMs };
  return {
    ...state,
    settings,
    orderSha256: 'f'.repeat(64),
    stage: stage ?? { name: movement === null ? 'looking-up' : 'polling' },
    sends: { ...state.sends, count: sends, isCountKnown, firstAtMs: SENT, lastAtMs: SENT },
    requests: { ...state.requests, lastNumber: 9, lastEndedAtMs: askedAtMs },
    bank: {
      ...state.bank,
      lastAnswer: movement,
      lastStatus: movement?.status ?? null,
      foundByLookup: foundByLookup ?? movement !== null,
      lastNotFound: movement === null ? { number: 9, atMs: askedAtMs } : null,
      notFoundRun: movement === null ? 12 : 0,
    },
    flags: Object.fromEntries(flags.map((reason) => [reason, SENT])),
    recordedReasons: flags,
  };
}

const judge = (state: TransferState, action: DecisionAction, operator = 'ana', nowMs = SOON) =>
  judgeDecision(state, { action, operator, reason: 'r' }, nowMs);

const allowedIn = (state: TransferState, nowMs = SOON): DecisionAction[] =>
  DECISION_ACTIONS.filter((action) => judge(state, action, 'ana', nowMs).kind !== 'refused');

function decided(state: TransferState, action: DecisionAction, operator: string, nowMs = SOON) {
  const judged = judge(state, action, operator, nowMs);
  if (judged.kind !== 'decided') throw new Error(JSON.stringify(judged));
  const id = `run-1/${operator}`;
  return apply(state, { kind: 'decided', atMs: nowMs, record: { ...judged.record, id } });
}

const mismatch = (status: string): LookupMovement => ({ status, echo: 'mismatch' });

describe('what may be decided (contract 4.6)', () => {
  it.each<[string, Given, number, DecisionAction[]]>([
    ['OUTCOME_UNKNOWN, soon', { flags: ['OUTCOME_UNKNOWN'] }, SOON, ['resume', 'resend']],
    ['OUTCOME_UNKNOWN, after three sends', { flags: ['OUTCOME_UNKNOWN'], sends: 3 }, SOON, ['resume']],
    [
      'OUTCOME_UNKNOWN, the window over',
      { flags: ['OUTCOME_UNKNOWN'] },
      SENT + settings.resendWindowMs,
      ['resume'],
    ],
    [
      'OUTCOME_UNKNOWN, a day later, a young not-found',
      { flags: ['OUTCOME_UNKNOWN'], askedAtMs: SENT + DAY_MS },
      SENT + DAY_MS,
      ['resume', 'accept-not-taken'],
    ],
    [
      'OUTCOME_UNKNOWN, a day later but a moment',
      { flags: ['OUTCOME_UNKNOWN'], askedAtMs: SENT + DAY_MS - 2 },
      SENT + DAY_MS - 1,
      ['resume'],
    ],
    [
      'OUTCOME_UNKNOWN, a day later, an old not-found',
      { flags: ['OUTCOME_UNKNOWN'], askedAtMs: SENT + DAY_MS },
      SENT + DAY_MS + settings.pollDelayedMs,
      ['resume'],
    ],
    ['VANISHED, told of by the create alone', { flags: ['VANISHED'] }, SOON, ['resume', 'resend']],
    [
      'OUTCOME_UNKNOWN, the journal has lost requests',
      { flags: ['OUTCOME_UNKNOWN'], isCountKnown: false },
      SOON,
      ['resume'],
    ],
    ['VANISHED, found by a look-up', { flags: ['VANISHED'], foundByLookup: true }, SOON, ['resume']],
    [
      'ECHO_MISMATCH, not final',
      { flags: ['ECHO_MISMATCH'], last: mismatch('CREATED') },
      SOON,
      ['resume', 'accept-not-taken'],
    ],
    [
      'ECHO_MISMATCH, COMPLETED',
      { flags: ['ECHO_MISMATCH'], last: mismatch('COMPLETED') },
      SOON,
      ['resume', 'accept-not-taken', 'accept-completed'],
    ],
    [
      'ECHO_MISMATCH, FAILED',
      { flags: ['ECHO_MISMATCH'], last: mismatch('FAILED') },
      SOON,
      ['resume', 'accept-not-taken', 'accept-failed'],
    ],
    [
      'ECHO_MISMATCH by identity, the last answer matches',
      { flags: ['ECHO_MISMATCH'], last: { status: 'COMPLETED', echo: 'match' } },
      SOON,
      ['resume', 'accept-completed'],
    ],
    ['ECHO_MISMATCH, not found since', { flags: ['ECHO_MISMATCH'], foundByLookup: true }, SOON, ['resume']],
    [
      'ECHO_INCOMPLETE, FAILED',
      { flags: ['ECHO_INCOMPLETE'], last: { status: 'FAILED', echo: 'incomplete' } },
      SOON,
      ['resume', 'accept-not-taken', 'accept-failed'],
    ],
    [
      'STATUS_UNKNOWN',
      { flags: ['STATUS_UNKNOWN'], last: { status: 'RETURNED', echo: 'match' } },
      SOON,
      ['resume', 'accept-completed', 'accept-failed'],
    ],
    [
      'STATUS_UNKNOWN, the last answer is a known word that differs',
      { flags: ['STATUS_UNKNOWN', 'ECHO_MISMATCH'], last: mismatch('CREATED') },
      SOON,
      ['resume', 'accept-not-taken'],
    ],
    ['OPEN_TOO_LONG', { flags: ['OPEN_TOO_LONG'] }, SOON, ['resume']],
    ['JOURNAL_CONFLICT', { flags: ['JOURNAL_CONFLICT'] }, SOON, ['resume']],
    [
      'JOURNAL_CONFLICT beside another',
      { flags: ['JOURNAL_CONFLICT', 'ECHO_MISMATCH'], last: mismatch('FAILED') },
      SOON,
      ['resume'],
    ],
    ['BANK_UNAUTHORIZED', { flags: ['BANK_UNAUTHORIZED'] }, SOON, ['resume']],
    ['no flag', { flags: [] }, SOON, []],
    ['being read', { flags: ['OUTCOME_UNKNOWN'], stage: { name: 'receiving' } }, SOON, []],
  ])('%s', (_, it, nowMs, actions) => {
    expect(allowedIn(given(it), nowMs)).toEqual(actions);
  });

  it('every reason has something that may be decided', () => {
    for (const reason of ATTENTION_REASONS) expect(allowedIn(given({ flags: [reason] }))).toContain('resume');
  });
});

describe('who decides, and which answer they get', () => {
  const held = given({ flags: ['ECHO_MISMATCH'], last: mismatch('FAILED') });

  it.each<[unknown, RegExp]>([
    [undefined, /request must be one object/],
    [[], /request must be one object/],
    [{ action: 'pay', operator: 'ana', reason: 'r' }, /action must be one of resume/],
    [{ action: 'resume', reason: 'r' }, /operator must be 1 to 100 characters/],
    [{ action: 'resume', operator: ' ', reason: 'r' }, /operator must be/],
    [{ action: 'resume', operator: 'a\nb', reason: 'r' }, /operator must be/],
    [
      { action: 'resume', operator: 'ana', reason: 'r'.repeat(501) },
      /reason must be one line of text of 1 to 500/,
    ],
    [{ action: 'resume', operator: 'ana', reason: 'r', amount: 1 }, /request may have only the fields/],
    [{ action: 'resume', operator: 'ana', reason: 'r', originId: '4711' }, /originId must be an integer/],
    [{ action: 'resume', operator: 'ana', reason: 'r', originId: null }, /originId must be an integer/],
    [{ action: 'resume', operator: 'ana', reason: 'r', originId: 4712 }, /originId is that of another/],
  ])('%j is refused', (input, rule) => {
    const judged = judgeDecision(held, input, SOON);
    if (judged.kind !== 'refused') throw new Error('not refused');
    expect(judged.issues.map((issue) => `${issue.field} ${issue.rule}`).join()).toMatch(rule);
  });

  it('only operators of DECIDERS, whatever the spelling of their names', () => {
    const state = { ...held, settings: { ...settings, deciders: ['Ana', 'luis'] } };
    expect(judge(state, 'resume', 'ANA').kind).toBe('decided');
    expect(judge(state, 'resume', 'eva')).toEqual({
      kind: 'refused',
      issues: [{ field: 'operator', rule: 'is not listed in DECIDERS' }],
    });
  });

  describe('signed', () => {
    const evidence = { number: 7, reported: 'x' };
    const signing = {
      ...held,
      settings: { ...settings, deciders: null, signsDecisions: true as const },
      bank: { ...held.bank, evidence },
    };
    const proof = { evidenceNumber: 7, expiresAt: '2026-05-12T14:30:00Z', signature: 's' };
    const decision = { action: 'accept-failed', operator: 'ana', reason: 'r' };
    const judgeSigned = (state: TransferState, changes: object, key: string | null = null) =>
      judgeDecision(
        state,
        { ...decision, ...proof, ...changes },
        SOON,
        key === null ? null : { keyFingerprint: key },
      );

    it.each<[string, TransferState, object, RegExp]>([
      [
        'nothing',
        signing,
        { evidenceNumber: undefined, expiresAt: undefined, signature: undefined },
        /signature is missing/,
      ],
      ['half of it', signing, { signature: undefined }, /signature must be an armoured SSH signature/],
      ['other evidence', signing, { evidenceNumber: 6 }, /evidenceNumber is not 7: the bank has answered/],
      ['no number', signing, { evidenceNumber: -1 }, /evidenceNumber must be an integer from 0/],
      ['no time', signing, { expiresAt: 'tomorrow' }, /expiresAt must be a time/],
      ['4 KB and more', signing, { signature: 's'.repeat(4_097) }, /of at most 4096 characters/],
      ['before the order is there', { ...signing, orderSha256: null }, {}, /does not have the order/],
      ['where nobody asks for it', held, {}, /signature is not asked for/],
    ])('refused with %s', (_, state, changes, rule) => {
      const judged = judgeSigned(state, changes);
      if (judged.kind !== 'refused') throw new Error('not refused');
      expect(judged.issues.map((issue) => `${issue.field} ${issue.rule}`).join()).toMatch(rule);
    });

    describe.each<[string, Partial<TransferState>]>([
      ['of a held transfer of which nothing was sent', { flags: { ORDER_TAMPERED: SENT } }],
      ['of one whose first create waits for the brake', { flags: { OPEN_TOO_LONG: SENT } }],
      [
        'of one that was sent, and whose numbers are not those of the journal',
        {
          stage: { name: 'looking-up' },
          sends: { ...initialState(4711, SENT).sends, count: 1, firstAtMs: SENT, lastAtMs: SENT },
          flags: { JOURNAL_CONFLICT: SENT },
        },
      ],
    ])('%s', (_what, changes) => {
      const unsent = {
        ...initialState(4711, SENT),
        stage: { name: 'sending' as const },
        orderSha256: 'f'.repeat(64),
        ...changes,
      };
      const resume = { action: 'resume', operator: 'ana', reason: 'r' };
      const signedOver = (evidenceNumber: number) => ({ ...resume, ...proof, evidenceNumber });
      const ON = { ...settings, deciders: null, signsDecisions: true as const };
      const OFF = { ...settings, deciders: ['ana', 'luis'] };
      const judged = (
        known: TransferState['settings'],
        input: object,
        verified: { keyFingerprint: string } | null,
      ) => judgeDecision({ ...unsent, settings: known }, input, SOON, verified);

      it.each([
        ['signed', ON, signedOver(0)],
        ['not signed, though the run knows that decisions are', ON, resume],
        ['not signed', OFF, resume],
        ['signed, though the run knows that decisions are not', OFF, signedOver(0)],
        ['of an operator whom the run does not know', OFF, { ...resume, operator: 'eva' }],
      ])('%s: not refused before a worker has reported its settings', (_, known, input) => {
        expect(judged(known, input, null).kind).toBe('decided');
      });

      it('over other evidence: refused at once', () => {
        expect(judged(OFF, signedOver(3), null)).toMatchObject({ issues: [{ field: 'evidenceNumber' }] });
      });

      it('a worker has reported its settings: they count', () => {
        const looked = { keyFingerprint: 'k1' };
        expect(judged(ON, resume, looked)).toMatchObject({ issues: [{ field: 'signature' }] });
        expect(judged(OFF, signedOver(0), looked)).toMatchObject({ issues: [{ field: 'signature' }] });
        expect(judged(OFF, { ...resume, operator: 'eva' }, looked)).toMatchObject({
          issues: [{ field: 'operator' }],
        });
        expect(judged(ON, signedOver(0), looked).kind).toBe('decided');
        expect(judged(OFF, resume, looked).kind).toBe('decided');
      });
    });

    it('before any answer the number is 0', () => {
      const { evidence: _, ...bank } = signing.bank;
      const state = { ...signing, bank, flags: { OPEN_TOO_LONG: SENT } };
      expect(judgeSigned(state, { action: 'resume', evidenceNumber: 0 }, 'k1').kind).toBe('decided');
    });

    it('two operators with two keys accept; one with two keys, or two with one, do not', () => {
      const first = judgeSigned(signing, {}, 'k1');
      if (first.kind !== 'decided') throw new Error(JSON.stringify(first));
      expect(first.record.proof).toEqual({ ...proof, keyFingerprint: 'k1' });
      const proposed = apply(signing, { kind: 'decided', atMs: SOON, record: { ...first.record, id: 'a' } });
      expect(judgeSigned(proposed, { operator: 'ANA' }, 'k2').kind).toBe('known');
      expect(judgeSigned(proposed, { operator: 'luis' }, 'k1')).toMatchObject({
        issues: [{ field: 'signature', rule: expect.stringMatching(/two keys/) as string }],
      });
      expect(judgeSigned(proposed, { operator: 'luis' }, 'k2')).toMatchObject({
        answer: { state: 'accepted' },
      });
    });

    it('an earlier unsigned proposal does not count for a signed one', () => {
      const proposed = {
        ...decided(held, 'accept-failed', 'luis'),
        settings: signing.settings,
        bank: signing.bank,
      };
      expect(judgeSigned(proposed, {}, 'k1')).toMatchObject({ answer: { state: 'proposed', by: ['ana'] } });
    });
  });

  it('while DECIDERS is not set nobody decides what takes two, and one may still resume', () => {
    const state = { ...held, settings: { ...settings, deciders: null } };
    expect(judge(state, 'resume', 'anybody').kind).toBe('decided');
    expect(judge(state, 'accept-failed', 'ana')).toEqual({
      kind: 'refused',
      issues: [{ field: 'action', rule: 'takes two operators of DECIDERS, and DECIDERS is not set' }],
    });
    expect(openDecisions(state).map(({ row }) => row.action)).toEqual(['resume']);
    expect(openDecisions(held).map(({ row }) => row.action)).toContain('accept-failed');
  });

  it.each([
    'ana\ufe0f',
    'ana\u034f',
    'an\u0430',
    'ana\u3164',
    ' ana',
    'jos\u00e9',
    'a b',
    'a'.repeat(101),
    '',
  ])('the name %j is refused: it may look like another one', (operator) => {
    const judged = judgeDecision(held, { action: 'resume', operator, reason: 'r' }, SOON);
    expect(judged).toEqual({
      kind: 'refused',
      issues: [{ field: 'operator', rule: 'must be 1 to 100 characters of A-Za-z0-9._@+-' }],
    });
  });

  it('the same operator twice is one, and is not written down again', () => {
    const once = decided(held, 'accept-failed', 'ana');
    expect(judge(once, 'accept-failed', 'Ana')).toEqual({
      kind: 'known',
      answer: { state: 'proposed', by: ['Ana'] },
    });
  });

  it('an operator who proposes something else has thought better of it', () => {
    const changed = decided(decided(held, 'accept-failed', 'ana'), 'accept-not-taken', 'ana');
    expect(changed.decisions.proposals.map(({ action }) => action)).toEqual(['accept-not-taken']);
    expect(judge(changed, 'accept-failed', 'luis')).toMatchObject({ answer: { state: 'proposed' } });
  });

  it('the decision is written down before the annulment that follows from it', () => {
    const state = decided(decided(held, 'accept-failed', 'ana'), 'accept-failed', 'luis');
    expect(nextStep(state, SOON)).toMatchObject({ do: 'record-decision', record: { outcome: 'proposed' } });
    const written = ['run-1/ana', 'run-1/luis'].reduce(
      (now, id) => apply(now, { kind: 'decision-recorded', atMs: SOON, id }),
      state,
    );
    const told = apply(written, { kind: 'flags-recorded', atMs: SOON, reasons: [] });
    expect(nextStep(told, SOON)).toMatchObject({
      do: 'record-annulment',
      evidenceNumber: 9,
      operators: ['ana', 'luis'],
      result: { status: 'FAILED', decidedBy: 'operators', movementId: seen(mismatch('FAILED')).movementId },
    });
  });

  it('an acceptance that the journal refuses has no effect: the journal is read, the flag stays', () => {
    const state = decided(decided(held, 'accept-failed', 'ana'), 'accept-failed', 'luis');
    const back = apply(state, { kind: 'decision-not-recorded', atMs: SOON });
    expect(back.stage.name).toBe('receiving');
    expect(openReasons(back.flags)).toEqual(['ECHO_MISMATCH']);
    expect(back.decisions).toEqual({ proposals: [], unrecorded: [] });
  });
});

describe('a proposal is void when what it rests on has changed', () => {
  const told = (state: TransferState, answer: LookupAnswer) =>
    apply(state, {
      ...{ kind: 'lookup-ended', atMs: SOON, startedAtMs: SOON, settings, inFlightMs: 0, answer },
      number: state.requests.lastNumber + 1,
    });
  const movement = (fields: readonly EchoField[]): LookupAnswer => ({
    kind: 'movement',
    movement: { ...seen(mismatch('COMPLETED')), echoFields: fields },
  });
  const isVoid = ({ decisions }: TransferState) =>
    decisions.proposals.length === 0 && decisions.unrecorded.at(-1)?.outcome === 'voided';

  it('other fields of the echo differ', () => {
    const held = given({ flags: ['ECHO_MISMATCH'], last: mismatch('COMPLETED') });
    const proposed = decided(held, 'accept-completed', 'ana');
    expect(isVoid(told(proposed, movement(['amount'])))).toBe(false);
    expect(isVoid(told(proposed, movement(['destination.personId'])))).toBe(true);
  });

  it('another amount or currency is reported', () => {
    const reporting = (amount: string, currency: string): LookupAnswer => ({
      kind: 'movement',
      movement: { ...seen(mismatch('COMPLETED')), reported: { amount, currency } },
    });
    const held = told(
      given({ flags: ['ECHO_MISMATCH'], last: mismatch('COMPLETED') }),
      reporting('1.00', '032'),
    );
    const proposed = decided(held, 'accept-completed', 'ana', SOON);
    expect(isVoid(told(proposed, reporting('1.00', '032')))).toBe(false);
    expect(isVoid(told(proposed, reporting('2.00', '032')))).toBe(true);
    expect(isVoid(told(proposed, reporting('1.00', '840')))).toBe(true);
  });

  it('the movement that had vanished is back, as it was', () => {
    const vanished = given({ flags: ['VANISHED'], last: { status: 'CREATED', echo: 'match' } });
    const askedLong = SENT + DAY_MS;
    const gone: TransferState = {
      ...vanished,
      bank: { ...vanished.bank, lastNotFound: { number: 10, atMs: askedLong }, notFoundRun: 12 },
      requests: { ...vanished.requests, lastNumber: 10, lastEndedAtMs: askedLong },
    };
    const proposed = decided(gone, 'accept-not-taken', 'ana', askedLong);
    expect(isVoid(told(proposed, { kind: 'not-found' }))).toBe(false);
    const back = told(proposed, { kind: 'movement', movement: seen({ status: 'CREATED', echo: 'match' }) });
    expect(isVoid(back)).toBe(true);
  });

  it('the status of an end that the journal refuses is nothing new when it is reported again; another status is', () => {
    const answer = (status: string): LookupAnswer => ({
      kind: 'movement',
      movement: seen({ status, echo: 'match' }),
    });
    const held = told(
      given({ flags: ['JOURNAL_CONFLICT'], last: { status: 'COMPLETED', echo: 'match' } }),
      answer('COMPLETED'),
    );
    const conflict = { reason: 'refused', cause: 'record-result GR002', isUnexplained: true };
    const proposed = decided({ ...held, conflict }, 'accept-completed', 'ana');
    expect(proposed.stage.name).toBe('ending');
    expect(isVoid(told(proposed, answer('COMPLETED')))).toBe(false);
    expect(isVoid(told(proposed, answer('FAILED')))).toBe(true);
  });

  it('its flag is gone, though the answer is equal', () => {
    const held = given({ flags: ['ECHO_INCOMPLETE'], last: { status: 'CREATED', echo: 'incomplete' } });
    const proposed = decided(held, 'accept-not-taken', 'ana');
    const same = seen({ status: 'CREATED', echo: 'incomplete' });
    expect(isVoid(told(proposed, { kind: 'movement', movement: same }))).toBe(true);
    const other = decided(
      given({ flags: ['ECHO_MISMATCH', 'BANK_UNAUTHORIZED'], last: mismatch('COMPLETED') }),
      'accept-completed',
      'ana',
    );
    expect(isVoid(told(other, movement(['amount'])))).toBe(false);
  });
});

describe('resume', () => {
  it('OUTCOME_UNKNOWN: twelve look-ups at the active cadence, no send, flagged again', () => {
    let state = decided(given({ flags: ['OUTCOME_UNKNOWN'] }), 'resume', 'ana');
    expect(openReasons(state.flags)).toEqual([]);
    for (let asked = 1; asked <= 12; asked += 1) {
      const atMs = ASKED + asked * settings.pollActiveMs;
      const number = state.requests.lastNumber + 1;
      const ready = { ...state, decisions: { proposals: [], unrecorded: [] }, recordedReasons: [] };
      expect(nextStep(ready, atMs)).toEqual({ do: 'lookup', number });
      state = apply(ready, {
        ...{ kind: 'lookup-ended', atMs, startedAtMs: atMs, number, settings, inFlightMs: 0 },
        answer: { kind: 'not-found' },
      });
    }
    expect(openReasons(state.flags)).toEqual(['OUTCOME_UNKNOWN']);
    expect(state.stage.name).toBe('looking-up');
  });

  it('OPEN_TOO_LONG: flagged again when the same age has passed', () => {
    const old = given({ flags: ['OPEN_TOO_LONG'] });
    const atMs = SENT + settings.attentionAfterActiveMs;
    const state = decided(old, 'resume', 'ana', atMs);
    const later = (ms: number) => apply(state, { kind: 'hinted', atMs: atMs + ms });
    expect(openReasons(later(settings.attentionAfterActiveMs - 1).flags)).toEqual([]);
    expect(openReasons(later(settings.attentionAfterActiveMs).flags)).toEqual(['OPEN_TOO_LONG']);
  });

  it('JOURNAL_CONFLICT: a journal that lost our send is not trusted, nothing is sent', () => {
    const state = decided(given({ flags: ['JOURNAL_CONFLICT'] }), 'resume', 'ana');
    expect(nextStep(state, SOON)).toEqual({ do: 'record-flags', reasons: [], conflict: null });
    const lookups = Array.from({ length: 5 }, (_, i) => request(null, SENT + i * 10_000, 'lookup'));
    for (const made of [[], lookups]) {
      const lastNumber = made.length;
      const ready = { ...state, decisions: { proposals: [], unrecorded: [] }, recordedReasons: [] };
      const read = receive(ready, SOON, lines(openedJournal(SENT), ...made));
      expect(read.stage.name).toBe('looking-up');
      expect(read.sends).toMatchObject({ count: 1, mayRepeat: false });
      expect(nextStep(read, SOON + 60_000)).toEqual({ do: 'lookup', number: lastNumber + 1 });
    }
  });

  it('ECHO_MISMATCH by identity: the doubt is over until an answer differs again', () => {
    const held = given({ flags: ['ECHO_MISMATCH'], last: { status: 'CREATED', echo: 'other-origin' } });
    const doubted = {
      ...held,
      bank: { ...held.bank, echo: { movementIds: ['1', '2'], isOtherOrigin: true, isMismatched: true } },
    };
    expect(decided(doubted, 'resume', 'ana').bank.echo).toEqual(NO_ECHO);
  });
});

const DECISION = {
  ...{ operator: 'ana', operators: ['ana'], reason: 'bank letter 17', bankStatus: null },
  flags: ['OUTCOME_UNKNOWN'] as const,
  afterNumber: 1,
};

it('a lost run’s proposal is void, in the journal too', () => {
  const journal = lines(
    openedJournal(SENT),
    request(
      { kind: 'unknown', error: { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null } },
      SENT,
      'create',
    ),
    (made) =>
      withDecision(made, { ...DECISION, id: 'run-1/6', outcome: 'resumed', action: 'resume' }, SENT + 1),
    (made) =>
      withDecision(made, { ...DECISION, id: 'run-1/7', outcome: 'proposed', action: 'resend' }, SENT + 2),
  );
  const state = receive(initialState(4711, SENT), SOON, journal);
  expect(state.sends.mayRepeat).toBe(false);
  expect(nextStep(state, SOON)).toMatchObject({
    do: 'record-decision',
    record: { id: 'void/run-1/7', outcome: 'voided', reason: 'the run was lost' },
  });
});
