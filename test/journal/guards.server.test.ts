import fc from 'fast-check';
import {
  claimRefusal,
  createRefusal,
  decisionRefusal,
  endRefusal,
  hasTwoMovements,
  openedJournal,
  vouches,
  withAnswer,
  withClaim,
  withDecision,
  withDoubt,
  withEnd,
  withFlags,
} from '../../dev/explore/journal-model';
import type { ModelJournal } from '../../dev/explore/journal-model';
import type { CreateAnswer, LookupAnswer, SeenMovement } from '../../src/domain/transfer/answers';
import { isOperator, operatorKey } from '../../src/domain/operator';
import type { DecisionRecord, ProposedAction } from '../../src/domain/transfer/decisions/decision';
import type { AttentionReason } from '../../src/domain/transfer/flags';
import { DOUBT_REASONS, REQUEST_KINDS } from '../../src/domain/transfer/records';
import type { DoubtReason } from '../../src/domain/transfer/records';
import type { TransferResult } from '../../src/domain/transfer/result';
import type { Database } from '../../src/journal/context';
import { JournalStatementError } from '../../src/journal/errors';
import { bindJournal } from '../../src/journal/journal';
import type { Journal } from '../../src/journal/journal';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { rehearsing } from './support/rehearsal';
import { aDecision, aResult, error, NOT_SENT, openNew, REFUSED, seen, UNKNOWN } from './support/transfers';

/**
 * The guards as pure predicates, on which the exhaustive search runs, refuse what the database refuses. Random lives
 * run in both; at every point all possible statements are tried on both and rolled back. `GIRO_SEED` repeats one set
 * of lives.
 */

const LIVES = 120;
const SEED = Number(process.env['GIRO_SEED'] ?? Date.now() % 2 ** 31);

let db: TestJournal;
let session: Database;
/** On `session`: what it is asked for is taken back. */
let rehearsed: Journal;
let journalId: string;
beforeAll(async () => {
  db = await openTestJournal();
  session = await rehearsing(await db.connect());
  rehearsed = bindJournal(session, { keyRing: null, clearBefore: null });
  const { rows } = await db.sql('select giro.journal_id() as id');
  journalId = String(rows[0]?.['id']);
});
afterAll(() => db.close());

const HOUR_MS = 3_600_000;
/** About when all lives are led: windows are over or open by far, whatever the database's clock says. */
const NOW_MS = Date.now();
let written = 0;
/** Each line is later than the one before, as in the database. */
const nextMs = (): number => NOW_MS + (written += 1);

/** One answer may be written late, after requests that follow. */
type Event =
  | {
      readonly kind: 'create';
      readonly answer: CreateAnswer | null;
      readonly isLate: boolean;
      readonly windowMs: number | null;
      readonly inFlightMs: number | null;
    }
  | { readonly kind: 'lookup'; readonly answer: LookupAnswer | null; readonly isLate: boolean }
  /** So many look-ups running that find nothing: the first of them is written down. */
  | { readonly kind: 'not-founds'; readonly count: number }
  | { readonly kind: 'withdrawal' }
  | { readonly kind: 'decision'; readonly lines: readonly Line[] }
  | { readonly kind: 'flags'; readonly reasons: readonly AttentionReason[] }
  | { readonly kind: 'doubt'; readonly reason: DoubtReason }
  | { readonly kind: 'end' };

interface Line {
  readonly outcome: DecisionRecord['outcome'];
  readonly action: DecisionRecord['action'];
  readonly by: readonly string[];
  readonly flags?: readonly AttentionReason[];
  /** How many requests its run did not know of; negative: so many more it knew, which a restored journal has lost. */
  readonly behind?: number;
}

const OTHER_AMOUNT = { echo: 'mismatch', echoFields: ['amount'] } as const;

const movement: fc.Arbitrary<SeenMovement> = fc
  .record({
    status: fc.constantFrom('COMPLETED', 'FAILED', 'CREATED', 'COMPLETED', 'FAILED', 'EN_TRAMITE'),
    movementId: fc.constantFrom('11', '11', '11', '11', '22', null),
    echo: fc.constantFrom<Pick<SeenMovement, 'echo' | 'echoFields'>>(
      { echo: 'match', echoFields: [] },
      { echo: 'match', echoFields: [] },
      { echo: 'incomplete', echoFields: ['details'] },
      OTHER_AMOUNT,
    ),
  })
  .map(({ status, movementId, echo }) => seen(status, { movementId, ...echo }));

const UNBELIEVED: CreateAnswer = { kind: 'not-sent', error: error('BEYOND_LIMITS') };

const createAnswer: fc.Arbitrary<CreateAnswer> = fc.oneof(
  fc.constantFrom(NOT_SENT, NOT_SENT, UNBELIEVED, UNKNOWN, UNKNOWN, REFUSED),
  movement.map((told) => ({ kind: 'answered', movement: told }) as const),
);
const lookupAnswer: fc.Arbitrary<LookupAnswer> = fc.oneof(
  fc.constantFrom<LookupAnswer>({ kind: 'not-found' }, { kind: 'no-answer', error: error('TIMEOUT') }),
  movement.map((told) => ({ kind: 'movement', movement: told }) as const),
);

const ACTIONS: readonly ProposedAction[] = [
  'accept-completed',
  'accept-failed',
  'accept-not-taken',
  'resend',
];
const proposedAction = fc.constantFrom(...ACTIONS);
const operator = fc.constantFrom('ana', 'luis', 'LUIS', 'eva');
const flags = fc.constantFrom<readonly AttentionReason[]>(
  ['ECHO_MISMATCH'],
  ['OPEN_TOO_LONG', 'ECHO_MISMATCH'],
  ['OUTCOME_UNKNOWN'],
  ['ORDER_TAMPERED'],
  ['JOURNAL_CONFLICT', 'OUTCOME_UNKNOWN'],
  [],
  [],
);
const behind = fc.constantFrom(0, 0, 1, 2, -3);

const decisionLines: fc.Arbitrary<readonly Line[]> = fc.oneof(
  // Two operators agree, with nothing between.
  fc
    .record({ action: proposedAction, flags, behind })
    .map(({ action, ...rest }) => [
      { outcome: 'proposed', action, by: ['ana'], ...rest } as const,
      { outcome: 'accepted', action, by: ['ana', 'luis'], ...rest } as const,
    ]),
  fc
    .record({ action: proposedAction, by: operator })
    .map(({ action, by }) => [{ outcome: 'proposed', action, by: [by] } as const]),
  fc
    .record({ action: proposedAction, by: fc.tuple(operator, operator), flags, behind })
    .map((line) => [{ outcome: 'accepted', ...line } as const]),
  fc
    .record({ flags, behind })
    .map((line) => [{ outcome: 'resumed', action: 'resume', by: ['eva'], ...line } as const]),
  fc.constantFrom<readonly Line[]>(
    [{ outcome: 'withdrawn', action: 'withdraw', by: ['luis'] }],
    [{ outcome: 'voided', action: null, by: [] }],
  ),
);

const isLate = fc.constantFrom(false, false, false, true);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      answer: fc.option(createAnswer),
      isLate,
      windowMs: fc.constantFrom(HOUR_MS, HOUR_MS, -HOUR_MS, null),
      inFlightMs: fc.constantFrom(0, 0, HOUR_MS, null),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('lookup' as const), answer: fc.option(lookupAnswer), isLate }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('not-founds' as const), count: fc.constantFrom(11, 12, 12) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'withdrawal' } as const) },
  {
    weight: 4,
    arbitrary: decisionLines.map((lines) => ({ kind: 'decision', lines }) as const),
  },
  { weight: 1, arbitrary: flags.map((reasons) => ({ kind: 'flags', reasons }) as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...DOUBT_REASONS).map((reason) => ({ kind: 'doubt', reason }) as const),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'end' } as const) },
);

/** `offset`, `every`: of all wishes each eighth is tried while the life goes on, and each `every`th at its end. */
const life = fc.record({
  events: fc.array(event, { maxLength: 14 }),
  offset: fc.nat({ max: 11 }),
  every: fc.constant(4),
});
const EVERY = 8;

const create = (
  answer: CreateAnswer | null,
  windowMs: number | null = HOUR_MS,
  isLate = false,
  inFlightMs = 0,
): Event => ({
  kind: 'create',
  ...{ answer, windowMs, isLate, inFlightMs },
});
const lookup = (answer: LookupAnswer | null, isLate = false): Event => ({ kind: 'lookup', answer, isLate });
const TWELVE: Event = { kind: 'not-founds', count: 12 };
const ELEVEN: Event = { kind: 'not-founds', count: 11 };
const NO_ANSWER: LookupAnswer = { kind: 'no-answer', error: error('TIMEOUT') };
const answeredWith = (rest: Partial<SeenMovement> = {}): CreateAnswer => ({
  kind: 'answered',
  movement: seen('CREATED', { movementId: '11', ...rest }),
});
const told = (status: string, rest: Partial<SeenMovement> = {}): LookupAnswer => ({
  kind: 'movement',
  movement: seen(status, { movementId: '11', ...rest }),
});
const agreed = (action: ProposedAction): Event => ({
  kind: 'decision',
  lines: [
    { outcome: 'proposed', action, by: ['ana'] },
    { outcome: 'accepted', action, by: ['ana', 'luis'] },
  ],
});
const resumed = (behind: number, under: AttentionReason = 'ECHO_MISMATCH'): Event => ({
  kind: 'decision',
  lines: [{ outcome: 'resumed', action: 'resume', by: ['eva'], flags: [under], behind }],
});

const flagged = (...reasons: readonly AttentionReason[]): Event => ({ kind: 'flags', reasons });

/** Lives that are always led: each rule refuses and lets through at least once. */
const KNOWN: readonly Event[][] = [
  [create(UNKNOWN), TWELVE, create(UNKNOWN), TWELVE, create(NOT_SENT), create(null), TWELVE, create(UNKNOWN)],
  [create(UNKNOWN, -HOUR_MS), create(UNKNOWN), lookup({ kind: 'not-found' })],
  [create(NOT_SENT, -HOUR_MS), create(UNKNOWN), TWELVE, create(UNKNOWN, -HOUR_MS), TWELVE, create(UNKNOWN)],
  // Short of twelve; errors between, with a line of their own and without; one that was lost counts for its neighbour.
  [create(UNKNOWN), ELEVEN, lookup(NO_ANSWER), lookup(null), create(UNKNOWN), ELEVEN, create(UNKNOWN)],
  [create(UNKNOWN), lookup(null), ELEVEN, lookup(null), create(UNKNOWN)],
  [create(null), TWELVE, create(null), ELEVEN, create(null), ELEVEN],
  // A hold that flags alone have cleared stands; operators lift it.
  [create(UNBELIEVED), create(null), resumed(0), create(UNBELIEVED), create(null)],
  [flagged('ORDER_TAMPERED'), flagged(), create(null), resumed(0, 'OPEN_TOO_LONG'), create(null)],
  [
    create(UNKNOWN),
    flagged('JOURNAL_CONFLICT'),
    flagged(),
    TWELVE,
    create(null),
    agreed('resend'),
    create(null),
  ],
  // Not-founds while it is in flight do not count: its end is not recorded, or is after them.
  [create(null, HOUR_MS, false, HOUR_MS), TWELVE, create(UNKNOWN)],
  [create(UNKNOWN, HOUR_MS, true, HOUR_MS), ELEVEN, ELEVEN, lookup({ kind: 'not-found' }), create(UNKNOWN)],
  // A late answer changes nothing about earlier ones.
  [create(UNKNOWN), lookup({ kind: 'not-found' }), lookup(NO_ANSWER, true), ELEVEN, create(UNKNOWN)],
  [
    create(UNKNOWN),
    lookup(NO_ANSWER),
    lookup({ kind: 'not-found' }, true),
    ...Array<Event>(11).fill(lookup(null)),
  ],
  // The look-up's own answer is written late: another one stands in its place until then.
  [create(UNKNOWN), lookup(NO_ANSWER, true), TWELVE, create(UNKNOWN)],
  [create(answeredWith()), TWELVE, agreed('resend'), create(NOT_SENT), create(UNKNOWN), TWELVE],
  [create(answeredWith({ echo: 'incomplete', echoFields: ['details'] })), TWELVE, create(UNKNOWN)],
  [create(answeredWith(OTHER_AMOUNT)), ELEVEN, resumed(0), lookup({ kind: 'not-found' }), create(UNKNOWN)],
  ...(
    ['OUTCOME_UNKNOWN', 'VANISHED', 'JOURNAL_CONFLICT', 'ORDER_TAMPERED', 'OPEN_TOO_LONG'] as const
  ).flatMap((under): Event[][] => [
    [create(UNKNOWN), TWELVE, resumed(0, under), create(UNKNOWN)],
    [create(NOT_SENT), resumed(0, under), create(UNKNOWN), TWELVE, create(UNKNOWN)],
  ]),
  [create(NOT_SENT), resumed(-9, 'JOURNAL_CONFLICT'), create(UNKNOWN), TWELVE, create(UNKNOWN)],
  [create(UNKNOWN), agreed('resend'), create(null), agreed('resend'), create(UNKNOWN)],
  ...(['OUTCOME_UNKNOWN', 'OPEN_TOO_LONG'] as const).map((under): Event[] => [
    ...[create(UNKNOWN), agreed('resend'), resumed(0, under), create(null)],
  ]),
  [create(NOT_SENT), agreed('accept-not-taken'), create(null), resumed(0), create(null)],
  [create(UNKNOWN), agreed('resend'), agreed('accept-not-taken'), create(null)],
  [create(NOT_SENT), { kind: 'withdrawal' }, lookup(null), { kind: 'end' }, create(UNKNOWN)],
  [{ kind: 'doubt', reason: 'restored' }, create(UNKNOWN), { kind: 'withdrawal' }, lookup(null)],
  [create(REFUSED), TWELVE, create(UNKNOWN)],
  [create(REFUSED), lookup({ kind: 'not-found' }), { kind: 'end' }, agreed('accept-not-taken'), resumed(0)],
  [create(REFUSED), lookup(told('CREATED', OTHER_AMOUNT)), agreed('accept-not-taken'), { kind: 'end' }],
  [create(UNKNOWN), lookup(told('FAILED')), lookup(null), lookup(null), { kind: 'end' }],
  [create(UNKNOWN), lookup(told('CREATED')), lookup(told('FAILED'), true), lookup(told('DELAYED'))],
  [create(UNKNOWN), lookup(told('COMPLETED')), { kind: 'end' }, lookup(null)],
  [
    create({ kind: 'answered', movement: seen('CREATED', { movementId: '11', ...OTHER_AMOUNT }) }),
    lookup(told('COMPLETED', { movementId: '22' })),
    resumed(1),
    lookup(told('FAILED', { movementId: '22' })),
    lookup(told('FAILED', { movementId: '11' })),
    resumed(0),
    lookup(told('FAILED', { movementId: '22' })),
  ],
  // Two answers that a run which knew of neither look-up let operators forget, the later one written before.
  [create(UNKNOWN), lookup(told('FAILED'), true), lookup(told('FAILED', { movementId: '22' })), resumed(2)],
  [create(UNKNOWN), lookup(told('RETURNED')), agreed('accept-failed'), { kind: 'end' }],
  [create(UNKNOWN), lookup(told('RETURNED')), agreed('accept-completed'), { kind: 'end' }],
  ...ACTIONS.map((action): Event[] => [
    { kind: 'decision', lines: [{ outcome: 'proposed', action, by: ['ana'] }] },
  ]),
  // Operators agreed, and nothing is written down yet.
  ...ACTIONS.map((action) => [create(UNKNOWN), lookup(told('RETURNED')), agreed(action)]),
];

/** Otherwise the lives are too tame to show anything: reasons that the model refused for, and wishes that came true. */
const TO_MEET = [
  'it does not follow the last number',
  'it is withdrawn',
  'it has ended',
  'a create may have left',
  'the journal has lost requests of it',
  'a look-up found a movement',
  'three creates may have reached the bank',
  'the time for repeats is over',
  'operators have accepted an end',
  'it is held until operators resume it',
  'only operators have it sent again',
  'the bank refused the only one',
  'fewer than 12 look-ups have found nothing since the last create',
  'its withdrawal is another thing',
  'FAILED and its annulment go together',
  'no recorded decision of two operators',
  'other operators',
  'no matching answer FAILED',
  'the bank decided it, not operators',
  'no matching answer COMPLETED',
  'answers name two movement ids',
  'the bank did not refuse its only create, or knows it',
  'no other operator has proposed it',
  'it names a request that the journal does not have',
  'it may have left',
  ...['create', 'lookup', 'withdrawal'].map((kind) => `taken: claim ${kind}`),
  ...['COMPLETED', 'FAILED', 'REFUSED', 'WITHDRAWN'].map((status) => `taken: ${status} by bank`),
  ...['COMPLETED', 'FAILED', 'REFUSED'].map((status) => `taken: ${status} by operators`),
  ...ACTIONS.map((action) => `taken: accepted ${action}`),
  'taken: vouch for create',
];

interface Wish {
  readonly wish: string;
  /** Why the model refuses it; null: it does not. */
  readonly model: string | null;
  /** Of the database, likewise. */
  readonly tried: () => Promise<string | null>;
}

/** SQLSTATEs of refusals by a guard or a constraint. Any other is a fault of this test. */
const REFUSING = /^(?:GR00[12]|23503|23505|23514)$/;

async function refusalOf(attempt: () => Promise<string | null>): Promise<string | null> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof JournalStatementError && REFUSING.test(error.sqlState)) return error.message;
    throw error;
  }
}

const raw =
  (text: string, ...values: readonly unknown[]) =>
  () =>
    refusalOf(async () => {
      await session.run({ name: 'raw', text }, values);
      return null;
    });

function claimWishes(journal: ModelJournal, originId: number): Wish[] {
  const last = journal.requests.at(-1)?.number ?? 0;
  const insert = `insert into giro.request (origin_id, number, kind, run_id)
    values ($1::bigint, $2::integer, $3::text, 'run-1') returning number`;
  return REQUEST_KINDS.flatMap((kind) =>
    [last, last + 1, last + 2].flatMap((number): Wish[] => {
      const model = claimRefusal(journal, { kind, number }, NOW_MS);
      const wish = `claim ${kind} ${number}`;
      const port = () =>
        refusalOf(async () => {
          const claimed = await rehearsed.claimRequest({
            ...{ originId, number, kind },
            runId: 'r',
          });
          return claimed.kind === 'claimed' ? null : claimed.kind;
        });
      return [
        { wish: `${wish}, by hand`, model, tried: raw(insert, originId, number, kind) },
        ...(number === last ? [] : [{ wish, model, tried: port }]),
      ];
    }),
  );
}

const INVENTED = '00000000-0000-4000-8000-000000000000';

/** An end that is there already stands; the primary key sees to it. */
const modelEnd = (
  journal: ModelJournal,
  ...end: Parameters<typeof endRefusal> extends [unknown, ...infer R] ? R : never
) => (journal.result === null ? endRefusal(journal, ...end) : 'it has ended');

function endWishes(journal: ModelJournal, originId: number): Wish[] {
  const last = journal.requests.at(-1)?.number ?? 0;
  const insert = `insert into giro.result (origin_id, result) values ($1::bigint, $2::jsonb) returning origin_id`;
  const plain = (['COMPLETED', 'REFUSED', 'WITHDRAWN'] as const).flatMap((status) =>
    ([null, 'bank', 'operators'] as const).flatMap((decidedBy): Wish[] => {
      const result = aResult(originId, status, { decidedBy });
      const model = modelEnd(journal, result, null);
      const wish = `${status} by ${decidedBy}`;
      const port = () =>
        refusalOf(async () => ((await rehearsed.recordResult(result)).isNew ? null : 'another end stands'));
      return [
        { wish: `${wish}, by hand`, model, tried: raw(insert, originId, JSON.stringify(result)) },
        ...(decidedBy === null ? [] : [{ wish, model, tried: port }]),
      ];
    }),
  );
  const lonely = (['bank', 'operators'] as const).flatMap((decidedBy) =>
    [null, INVENTED].map((annulmentId): Wish => {
      const result = aResult(originId, 'FAILED', { decidedBy, annulmentId });
      return {
        wish: `FAILED by ${decidedBy} with ${annulmentId === null ? 'no annulment' : 'one that is not there'}`,
        model: modelEnd(journal, result, null),
        tried: raw(insert, originId, JSON.stringify(result)),
      };
    }),
  );
  const evidence = Array.from({ length: last + 2 }, (_, number) => number).slice(-5);
  const annulled = [
    ...evidence.map((number) => ['bank', number, []] as const),
    ['bank', last, ['ana', 'luis']] as const,
    ...[[], ['ana'], ['ana', 'luis'], ['luis', 'ana'], ['ana,luis'], ['ana', 'eva']].map(
      (operators) => ['operators', last, operators] as const,
    ),
  ].map(([decidedBy, evidenceNumber, operators]): Wish => {
    const result = aResult(originId, 'FAILED', { decidedBy });
    return {
      wish: `FAILED by ${decidedBy} (${operators.join(' & ')}) on answer ${evidenceNumber}`,
      model: modelEnd(journal, result, { evidenceNumber, operators }),
      tried: () =>
        refusalOf(async () => {
          const recorded = await rehearsed.recordAnnulment({ result, evidenceNumber, operators });
          return recorded.isNew ? null : 'another end stands';
        }),
    };
  });
  const annulment = { evidenceNumber: last, operators: [] };
  const completed = aResult(originId, 'COMPLETED');
  return [
    ...plain,
    ...lonely,
    ...annulled,
    {
      wish: 'an annulment beside COMPLETED',
      model: modelEnd(journal, completed, annulment),
      tried: raw(
        `with annulled as (
          insert into giro.annulment (origin_id, amount, currency, evidence_number, decided_by, operators)
          values ($1::bigint, 1500.25, '032', (
            select max(a.number) from giro.answer a where a.origin_id = $1::bigint and a.number <= $2::integer
          ), 'bank', '{}')
        )
        insert into giro.result (origin_id, result) values ($1::bigint, $3::jsonb) returning origin_id`,
        ...[originId, last, JSON.stringify(completed)],
      ),
    },
  ];
}

const PAIRS: readonly (readonly string[])[] = [
  ['ana', 'luis'],
  ['luis', 'ana'],
  ['ana', 'ANA'],
  ['LUIS', 'luis'],
  ['eva', 'luis'],
  ['ana'],
  ['eva', 'ana'],
];

function decisionWishes(journal: ModelJournal, originId: number, turn: number): Wish[] {
  const pairs = [PAIRS[0] ?? [], PAIRS[turn % PAIRS.length] ?? []];
  const lines: readonly Line[] = [
    ...ACTIONS.flatMap((action) => pairs.map((by) => ({ outcome: 'accepted', action, by }) as const)),
    { outcome: 'proposed', action: ACTIONS[turn % ACTIONS.length] ?? 'resend', by: ['eva'] },
    { outcome: 'resumed', action: 'resume', by: ['eva'] },
    { outcome: 'withdrawn', action: 'withdraw', by: ['ana'] },
    { outcome: 'voided', action: null, by: [] },
  ];
  const last = journal.requests.at(-1)?.number ?? 0;
  const wish = ({ outcome, action, by }: Line, afterNumber: number): Wish => {
    const record = aDecision(outcome, action, by, [], afterNumber);
    return {
      wish: `${outcome} ${action} by ${by.join(' & ')}, after ${afterNumber} of ${last}`,
      model: decisionRefusal(journal, record),
      tried: async () => ((await rehearsed.recordDecision(originId, record)).recorded ? null : 'refused'),
    };
  };
  const ahead: Line = { outcome: 'accepted', action: 'resend', by: ['ana', 'luis'] };
  return [...lines.map((line) => wish(line, last)), wish(ahead, last + 1)];
}

function vouchWishes(journal: ModelJournal, originId: number): Wish[] {
  const last = journal.requests.at(-1)?.number ?? 0;
  return [last, last + 1, last + 2].flatMap((number) =>
    [true, false].map((isNoted): Wish => {
      const retry = { originId, number, journalId: isNoted ? journalId : '7/00000001' };
      return {
        wish: `vouch for create ${number} of ${isNoted ? 'this' : 'another'} journal`,
        model: vouches(journal, { number, isNoted }) ? null : 'it may have left',
        tried: async () => ((await rehearsed.vouchForCreate(retry)) ? null : 'it may have left'),
      };
    }),
  );
}

/** The wishes that the two answer differently, or null. */
async function differing(
  { journal, originId }: Life,
  { turn, every }: { readonly turn: number; readonly every: number },
): Promise<unknown> {
  const wishes = [
    ...claimWishes(journal, originId),
    ...endWishes(journal, originId),
    ...decisionWishes(journal, originId, turn),
    ...vouchWishes(journal, originId),
  ].filter((_, at) => (at + turn) % every === 0);
  const answers = await Promise.all(wishes.map(({ tried }) => tried()));
  const wrong = wishes.flatMap(({ wish, model }, at) => {
    const database = answers[at] ?? null;
    met.add(model ?? `taken: ${wish.split(' ', 3).join(' ')}`);
    return (model === null) === (database === null) ? [] : [{ wish, model, database }];
  });
  const { rows } = await db.sql(
    'select giro.create_refusal($1) as "create", giro.has_two_movements($1) as two',
    [originId],
  );
  const words = { create: createRefusal(journal, NOW_MS), two: hasTwoMovements(journal) };
  if (rows[0]?.['create'] !== words.create || rows[0]['two'] !== words.two)
    wrong.push({ wish: 'the same words', model: JSON.stringify(words), database: JSON.stringify(rows[0]) });
  return wrong.length === 0 ? null : wrong;
}

/** Reasons of the model, and wishes that came true: of all lives. */
const met = new Set<string>();

interface Life {
  readonly originId: number;
  journal: ModelJournal;
  readonly late: (() => Promise<void>)[];
}

/** What both refuse does not happen. Returns the first thing that only one of them lets happen. */
async function happen(one: Event, life: Life): Promise<unknown> {
  const { originId } = life;
  const last = life.journal.requests.at(-1)?.number ?? 0;
  switch (one.kind) {
    case 'create':
    case 'lookup':
    case 'withdrawal': {
      const number = last + 1;
      const model = claimRefusal(life.journal, { kind: one.kind, number }, NOW_MS);
      const windowMs = one.kind === 'create' ? one.windowMs : null;
      const inFlightMs = one.kind === 'create' ? one.inFlightMs : null;
      const claimed = await db.journal.claimRequest({
        ...{ originId, number, kind: one.kind, runId: 'run-1' },
        ...(windowMs === null ? {} : { resendWindowMs: windowMs }),
        ...(inFlightMs === null ? {} : { inFlightMs }),
      });
      if ((claimed.kind === 'claimed') !== (model === null)) return { claim: one, model, claimed };
      if (model !== null) return null;
      life.journal = withClaim(life.journal, one.kind, nextMs(), { resendWindowMs: windowMs, inFlightMs });
      if (!('answer' in one) || one.answer === null) return null;
      const { answer } = one;
      const record = async () => {
        await db.journal.recordAnswer({ originId, number, answer, digest: `digest-${number}` });
        life.journal = withAnswer(life.journal, number, answer, nextMs());
      };
      if (one.isLate) life.late.push(record);
      else await record();
      return null;
    }
    case 'not-founds': {
      const answer: LookupAnswer = { kind: 'not-found' };
      for (let number = last + 1; number <= last + one.count; number += 1) {
        const lookup = { kind: 'lookup', number } as const;
        const model = claimRefusal(life.journal, lookup, NOW_MS);
        const claimed = await db.journal.claimRequest({ originId, ...lookup, runId: 'run-1' });
        if ((claimed.kind === 'claimed') !== (model === null)) return { claim: one, model, claimed };
        if (model !== null) return null;
        life.journal = withClaim(life.journal, 'lookup', nextMs());
        if (number > last + 1) continue;
        await db.journal.recordAnswer({ originId, number, answer, digest: `digest-${number}` });
        life.journal = withAnswer(life.journal, number, answer, nextMs());
      }
      return null;
    }
    case 'decision':
      for (const { outcome, action, by, flags: under = [], behind: unknown = 0 } of one.lines) {
        const record = aDecision(outcome, action, by, under, Math.max(0, last - unknown));
        const model = decisionRefusal(life.journal, record);
        const { recorded } = await db.journal.recordDecision(originId, record);
        if (recorded !== (model === null)) return { decision: one, model, recorded };
        if (recorded) life.journal = withDecision(life.journal, record, nextMs());
      }
      return null;
    case 'flags':
      await db.journal.recordFlags(originId, one.reasons);
      life.journal = withFlags(life.journal, one.reasons, nextMs());
      return null;
    case 'doubt':
      await db.sql('insert into giro.doubt (origin_id, reason) values ($1, $2)', [originId, one.reason]);
      life.journal = withDoubt(life.journal, one.reason, nextMs());
      return null;
    case 'end':
      return end(life);
  }
}

/** The first end that may be written down. */
async function end(life: Life): Promise<unknown> {
  const { originId, journal } = life;
  const evidenceNumber = journal.requests.at(-1)?.number ?? 0;
  const operators = journal.decisions.at(-1)?.operators ?? [];
  for (const decidedBy of ['operators', 'bank'] as const) {
    for (const status of ['COMPLETED', 'FAILED', 'REFUSED', 'WITHDRAWN'] as const) {
      const result: TransferResult = aResult(originId, status, { decidedBy });
      const by = decidedBy === 'bank' ? [] : operators;
      const isAnnulled = status === 'FAILED';
      const model = modelEnd(journal, result, isAnnulled ? { evidenceNumber, operators: by } : null);
      const database = await refusalOf(async () => {
        const { isNew } = isAnnulled
          ? await db.journal.recordAnnulment({ result: { ...result, status }, evidenceNumber, operators: by })
          : await db.journal.recordResult(result);
        return isNew ? null : 'another end stands';
      });
      if ((model === null) !== (database === null)) return { end: result, model, database };
      if (model !== null) continue;
      life.journal = withEnd(journal, result);
      return null;
    }
  }
  return null;
}

async function lead({
  events,
  offset,
  every,
}: typeof life extends fc.Arbitrary<infer L> ? L : never): Promise<unknown> {
  const originId = await openNew(db.journal);
  const life: Life = { originId, journal: openedJournal(NOW_MS), late: [] };
  for (const [turn, one] of events.entries()) {
    const waiting = life.late.length;
    const wrong = (await happen(one, life)) ?? (await differing(life, { turn: turn + offset, every: EVERY }));
    if (wrong !== null) return wrong;
    if (waiting > 0) await life.late.shift()?.();
  }
  for (const record of life.late) await record();
  return differing(life, { turn: offset, every });
}

test(`the model refuses what the database refuses, at every point of a life (GIRO_SEED=${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(life, async (one) => expect(await lead(one)).toBeNull()),
    { seed: SEED, numRuns: LIVES, examples: KNOWN.map((events) => [{ events, offset: 0, every: 1 }]) },
  );
  expect(TO_MEET.filter((what) => ![...met].some((one) => one.startsWith(what)))).toEqual([]);
});

test.each(['Ana', 'ANA', 'a.b_c@d+e-f', '9'.repeat(100)])(
  'operator %j is the same one in both',
  async (name) => {
    const { rows } = await db.sql('select giro.operator_key($1) as key, giro.is_operator($1) as is', [name]);
    expect(rows[0]).toEqual({ key: operatorKey(name), is: isOperator(name) });
    expect(isOperator(name)).toBe(true);
  },
);

test.each([
  ...[
    '',
    ' ana',
    'ana ',
    'an a',
    'ana\n',
    'ana\t',
    'a'.repeat(101),
    'José',
    'Jose\u0301',
    'ＡＮＡ',
    'аna',
    'ﬁna',
  ],
  ...['ana\ufe0f', 'ana\u034f', 'ana\u3164', 'ana\u115f', 'ana\u2800', 'ana\u200b', 'ana\u00a0'],
])('%j is no operator in either', async (name) => {
  const { rows } = await db.sql('select giro.is_operator($1) as is', [name]);
  expect([rows[0]?.['is'], isOperator(name)]).toEqual([false, false]);
  const originId = await openNew(db.journal);
  await expect(
    db.sql(
      `insert into giro.decision (origin_id, seq, id, outcome, action, operator, operators, reason)
         values ($1, 1, 'd', 'resumed', 'resume', $2, array[$2], 'r')`,
      [originId, name],
    ),
  ).rejects.toMatchObject({ code: '23514' });
});
