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
 * The guards as pure predicates, on which the exhaustive search runs, refuse what the database refuses. Random
 * histories run in both; after each event, some of the possible statements are tried on both and rolled back.
 * `GIRO_SEED` repeats one set of histories.
 */

const HISTORIES = 120;
const SEED = Number(process.env['GIRO_SEED'] ?? Date.now() % 2 ** 31);

let db: TestJournal;
let session: Database;
/** The journal on `session`; every statement is rolled back. */
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
/** About when all histories run. Windows are over or open by an hour, so the database's clock may differ a little. */
const NOW_MS = Date.now();
let written = 0;
/** Each row is later than the one before, as in the database. */
const nextMs = (): number => NOW_MS + (written += 1);

/** `isLate`: the answer is recorded after the next event. */
type Event =
  | {
      readonly kind: 'create';
      readonly answer: CreateAnswer | null;
      readonly isLate: boolean;
      readonly windowMs: number | null;
      readonly inFlightMs: number | null;
    }
  | { readonly kind: 'lookup'; readonly answer: LookupAnswer | null; readonly isLate: boolean }
  /** So many look-ups in a row that find nothing; only the first has a recorded answer. */
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
  /** How many of the journal's requests its run did not know of. Negative: how many requests that it knew are lost. */
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
  movement.map((it) => ({ kind: 'answered', movement: it }) as const),
);
const lookupAnswer: fc.Arbitrary<LookupAnswer> = fc.oneof(
  fc.constantFrom<LookupAnswer>({ kind: 'not-found' }, { kind: 'no-answer', error: error('TIMEOUT') }),
  movement.map((it) => ({ kind: 'movement', movement: it }) as const),
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
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
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

/** During a history, tries one in eight statements, from `offset` on; at its end, one in `every`. */
const anyHistory = fc.record({
  events: fc.array(anyEvent, { maxLength: 14 }),
  offset: fc.nat({ max: 11 }),
  every: fc.constant(4),
});
const EVERY_DURING = 8;

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
const reported = (status: string, rest: Partial<SeenMovement> = {}): LookupAnswer => ({
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
const resumed = (behind: number, openFlag: AttentionReason = 'ECHO_MISMATCH'): Event => ({
  kind: 'decision',
  lines: [{ outcome: 'resumed', action: 'resume', by: ['eva'], flags: [openFlag], behind }],
});

const flagged = (...reasons: readonly AttentionReason[]): Event => ({ kind: 'flags', reasons });

/** Histories that always run: each rule refuses and permits at least once, with no random one. */
const KNOWN_HISTORIES: readonly Event[][] = [
  [create(UNKNOWN), TWELVE, create(UNKNOWN), TWELVE, create(NOT_SENT), create(null), TWELVE, create(UNKNOWN)],
  [create(UNKNOWN, -HOUR_MS), create(UNKNOWN), lookup({ kind: 'not-found' })],
  [create(NOT_SENT, -HOUR_MS), create(UNKNOWN), TWELVE, create(UNKNOWN, -HOUR_MS), TWELVE, create(UNKNOWN)],
  // Fewer than twelve not-founds. Errors in between, with and without a recorded answer. A look-up without a recorded
  // answer counts as the last answer recorded before its claim.
  [create(UNKNOWN), ELEVEN, lookup(NO_ANSWER), lookup(null), create(UNKNOWN), ELEVEN, create(UNKNOWN)],
  [create(UNKNOWN), lookup(null), ELEVEN, lookup(null), create(UNKNOWN)],
  [create(null), TWELVE, create(null), ELEVEN, create(null), ELEVEN],
  // A hold outlasts its flag, until operators resume.
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
  // Not-founds while the create may be in flight do not count: its end is not recorded, or recorded after them.
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
  // The first look-up's answer is recorded late: until then it counts as the last answer recorded before its claim.
  [create(UNKNOWN), lookup(NO_ANSWER, true), TWELVE, create(UNKNOWN)],
  [create(answeredWith()), TWELVE, agreed('resend'), create(NOT_SENT), create(UNKNOWN), TWELVE],
  [create(answeredWith({ echo: 'incomplete', echoFields: ['details'] })), TWELVE, create(UNKNOWN)],
  [create(answeredWith(OTHER_AMOUNT)), ELEVEN, resumed(0), lookup({ kind: 'not-found' }), create(UNKNOWN)],
  ...(
    ['OUTCOME_UNKNOWN', 'VANISHED', 'JOURNAL_CONFLICT', 'ORDER_TAMPERED', 'OPEN_TOO_LONG'] as const
  ).flatMap((openFlag): Event[][] => [
    [create(UNKNOWN), TWELVE, resumed(0, openFlag), create(UNKNOWN)],
    [create(NOT_SENT), resumed(0, openFlag), create(UNKNOWN), TWELVE, create(UNKNOWN)],
  ]),
  [create(NOT_SENT), resumed(-9, 'JOURNAL_CONFLICT'), create(UNKNOWN), TWELVE, create(UNKNOWN)],
  [create(UNKNOWN), agreed('resend'), create(null), agreed('resend'), create(UNKNOWN)],
  ...(['OUTCOME_UNKNOWN', 'OPEN_TOO_LONG'] as const).map((openFlag): Event[] => [
    ...[create(UNKNOWN), agreed('resend'), resumed(0, openFlag), create(null)],
  ]),
  [create(NOT_SENT), agreed('accept-not-taken'), create(null), resumed(0), create(null)],
  [create(UNKNOWN), agreed('resend'), agreed('accept-not-taken'), create(null)],
  [create(NOT_SENT), { kind: 'withdrawal' }, lookup(null), { kind: 'end' }, create(UNKNOWN)],
  [{ kind: 'doubt', reason: 'restored' }, create(UNKNOWN), { kind: 'withdrawal' }, lookup(null)],
  [create(REFUSED), TWELVE, create(UNKNOWN)],
  [create(REFUSED), lookup({ kind: 'not-found' }), { kind: 'end' }, agreed('accept-not-taken'), resumed(0)],
  [create(REFUSED), lookup(reported('CREATED', OTHER_AMOUNT)), agreed('accept-not-taken'), { kind: 'end' }],
  [create(UNKNOWN), lookup(reported('COMPLETED')), agreed('accept-not-taken'), { kind: 'end' }],
  [create(answeredWith()), lookup({ kind: 'not-found' }), agreed('accept-not-taken'), { kind: 'end' }],
  [create(UNKNOWN), lookup(reported('FAILED')), lookup(null), lookup(null), { kind: 'end' }],
  [
    create(UNKNOWN),
    lookup(reported('CREATED')),
    lookup(reported('FAILED'), true),
    lookup(reported('DELAYED')),
  ],
  [create(UNKNOWN), lookup(reported('COMPLETED')), { kind: 'end' }, lookup(null)],
  [
    create({ kind: 'answered', movement: seen('CREATED', { movementId: '11', ...OTHER_AMOUNT }) }),
    lookup(reported('COMPLETED', { movementId: '22' })),
    resumed(1),
    lookup(reported('FAILED', { movementId: '22' })),
    lookup(reported('FAILED', { movementId: '11' })),
    resumed(0),
    lookup(reported('FAILED', { movementId: '22' })),
  ],
  // Operators resume through a run that knew of neither look-up, so both answers still count. The second look-up's
  // answer is recorded first.
  [
    create(UNKNOWN),
    lookup(reported('FAILED'), true),
    lookup(reported('FAILED', { movementId: '22' })),
    resumed(2),
  ],
  [create(UNKNOWN), lookup(reported('RETURNED')), agreed('accept-failed'), { kind: 'end' }],
  [create(UNKNOWN), lookup(reported('RETURNED')), agreed('accept-completed'), { kind: 'end' }],
  ...ACTIONS.map((action): Event[] => [
    { kind: 'decision', lines: [{ outcome: 'proposed', action, by: ['ana'] }] },
  ]),
  // Operators agreed, and no end is recorded yet.
  ...ACTIONS.map((action) => [create(UNKNOWN), lookup(reported('RETURNED')), agreed(action)]),
  // It is withdrawn, and no end is recorded yet.
  [create(NOT_SENT), { kind: 'withdrawal' }],
];

/** The histories must include each of these refusals by the model, and each of these permitted statements. */
const EXPECTED_COVERAGE = [
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
  'WITHDRAWN and a granted withdrawal go together',
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
  ...['create', 'lookup', 'withdrawal'].map((kind) => `permitted: claim ${kind}`),
  ...['COMPLETED', 'FAILED', 'REFUSED', 'WITHDRAWN'].map((status) => `permitted: ${status} by bank`),
  ...['COMPLETED', 'FAILED', 'REFUSED'].map((status) => `permitted: ${status} by operators`),
  ...ACTIONS.map((action) => `permitted: accepted ${action}`),
  'permitted: vouch for create',
];

interface Attempt {
  readonly name: string;
  /** Why the model refuses it; null: it does not. */
  readonly model: string | null;
  /** Tries it on the database; why the database refuses it, or null. */
  readonly run: () => Promise<string | null>;
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

function claimAttempts(journal: ModelJournal, originId: number): Attempt[] {
  const last = journal.requests.at(-1)?.number ?? 0;
  const insert = `insert into giro.request (origin_id, number, kind, run_id)
    values ($1::bigint, $2::integer, $3::text, 'run-1') returning number`;
  return REQUEST_KINDS.flatMap((kind) =>
    [last, last + 1, last + 2].flatMap((number): Attempt[] => {
      const model = claimRefusal(journal, { kind, number }, NOW_MS);
      const name = `claim ${kind} ${number}`;
      const port = () =>
        refusalOf(async () => {
          const claimed = await rehearsed.claimRequest({
            ...{ originId, number, kind },
            runId: 'r',
          });
          return claimed.kind === 'claimed' ? null : claimed.kind;
        });
      return [
        { name: `${name}, in plain SQL`, model, run: raw(insert, originId, number, kind) },
        ...(number === last ? [] : [{ name, model, run: port }]),
      ];
    }),
  );
}

const INVENTED = '00000000-0000-4000-8000-000000000000';

/** The primary key refuses a second result. */
const modelEnd = (
  journal: ModelJournal,
  ...end: Parameters<typeof endRefusal> extends [unknown, ...infer R] ? R : never
) => (journal.result === null ? endRefusal(journal, ...end) : 'it has ended');

function endAttempts(journal: ModelJournal, originId: number): Attempt[] {
  const last = journal.requests.at(-1)?.number ?? 0;
  const insert = `insert into giro.result (origin_id, result) values ($1::bigint, $2::jsonb) returning origin_id`;
  const plain = (['COMPLETED', 'REFUSED', 'WITHDRAWN'] as const).flatMap((status) =>
    ([null, 'bank', 'operators'] as const).flatMap((decidedBy): Attempt[] => {
      const result = aResult(originId, status, { decidedBy });
      const model = modelEnd(journal, result, null);
      const name = `${status} by ${decidedBy}`;
      const port = () =>
        refusalOf(async () =>
          (await rehearsed.recordResult(result)).isNew ? null : 'another result is recorded',
        );
      return [
        { name: `${name}, in plain SQL`, model, run: raw(insert, originId, JSON.stringify(result)) },
        ...(decidedBy === null ? [] : [{ name, model, run: port }]),
      ];
    }),
  );
  const withoutAnnulment = (['bank', 'operators'] as const).flatMap((decidedBy) =>
    [null, INVENTED].map((annulmentId): Attempt => {
      const result = aResult(originId, 'FAILED', { decidedBy, annulmentId });
      return {
        name: `FAILED by ${decidedBy} with ${annulmentId === null ? 'no annulment' : 'one that does not exist'}`,
        model: modelEnd(journal, result, null),
        run: raw(insert, originId, JSON.stringify(result)),
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
  ].map(([decidedBy, evidenceNumber, operators]): Attempt => {
    const result = aResult(originId, 'FAILED', { decidedBy });
    return {
      name: `FAILED by ${decidedBy} (${operators.join(' & ')}) on answer ${evidenceNumber}`,
      model: modelEnd(journal, result, { evidenceNumber, operators }),
      run: () =>
        refusalOf(async () => {
          const recorded = await rehearsed.recordAnnulment({ result, evidenceNumber, operators });
          return recorded.isNew ? null : 'another result is recorded';
        }),
    };
  });
  const annulment = { evidenceNumber: last, operators: [] };
  const completed = aResult(originId, 'COMPLETED');
  return [
    ...plain,
    ...withoutAnnulment,
    ...annulled,
    {
      name: 'an annulment beside COMPLETED',
      model: modelEnd(journal, completed, annulment),
      run: raw(
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

function decisionAttempts(journal: ModelJournal, originId: number, turn: number): Attempt[] {
  const pairs = [PAIRS[0] ?? [], PAIRS[turn % PAIRS.length] ?? []];
  const lines: readonly Line[] = [
    ...ACTIONS.flatMap((action) => pairs.map((by) => ({ outcome: 'accepted', action, by }) as const)),
    { outcome: 'proposed', action: ACTIONS[turn % ACTIONS.length] ?? 'resend', by: ['eva'] },
    { outcome: 'resumed', action: 'resume', by: ['eva'] },
    { outcome: 'withdrawn', action: 'withdraw', by: ['ana'] },
    { outcome: 'voided', action: null, by: [] },
  ];
  const last = journal.requests.at(-1)?.number ?? 0;
  const attempt = ({ outcome, action, by }: Line, afterNumber: number): Attempt => {
    const record = aDecision(outcome, action, by, [], afterNumber);
    return {
      name: `${outcome} ${action} by ${by.join(' & ')}, after ${afterNumber} of ${last}`,
      model: decisionRefusal(journal, record),
      run: async () => ((await rehearsed.recordDecision(originId, record)).recorded ? null : 'refused'),
    };
  };
  const ahead: Line = { outcome: 'accepted', action: 'resend', by: ['ana', 'luis'] };
  return [...lines.map((line) => attempt(line, last)), attempt(ahead, last + 1)];
}

function vouchAttempts(journal: ModelJournal, originId: number): Attempt[] {
  const last = journal.requests.at(-1)?.number ?? 0;
  return [last, last + 1, last + 2].flatMap((number) =>
    [true, false].map((isNoted): Attempt => {
      const retry = { originId, number, journalId: isNoted ? journalId : '7/00000001' };
      return {
        name: `vouch for create ${number} of ${isNoted ? 'this' : 'another'} journal`,
        model: vouches(journal, { number, isNoted }) ? null : 'it may have left',
        run: async () => ((await rehearsed.vouchForCreate(retry)) ? null : 'it may have left'),
      };
    }),
  );
}

/** The attempts that model and database answer differently, or null. */
async function differencesOf(
  { journal, originId }: Transfer,
  { turn, every }: { readonly turn: number; readonly every: number },
): Promise<unknown> {
  const attempts = [
    ...claimAttempts(journal, originId),
    ...endAttempts(journal, originId),
    ...decisionAttempts(journal, originId, turn),
    ...vouchAttempts(journal, originId),
  ].filter((_, at) => (at + turn) % every === 0);
  const answers = await Promise.all(attempts.map(({ run }) => run()));
  const wrong = attempts.flatMap(({ name, model }, at) => {
    const database = answers[at] ?? null;
    covered.add(model ?? `permitted: ${name.split(' ', 3).join(' ')}`);
    return (model === null) === (database === null) ? [] : [{ name, model, database }];
  });
  const { rows } = await db.sql(
    'select giro.create_refusal($1) as "create", giro.has_two_movements($1) as two',
    [originId],
  );
  const expected = { create: createRefusal(journal, NOW_MS), two: hasTwoMovements(journal) };
  if (rows[0]?.['create'] !== expected.create || rows[0]['two'] !== expected.two)
    wrong.push({
      name: 'create_refusal and has_two_movements',
      model: JSON.stringify(expected),
      database: JSON.stringify(rows[0]),
    });
  return wrong.length === 0 ? null : wrong;
}

/** The model's reasons, and the attempts that it permits, of all histories. */
const covered = new Set<string>();

/** The transfer of one history: its rows in the database, and the model of them. */
interface Transfer {
  readonly originId: number;
  journal: ModelJournal;
  /** Record the late answers. */
  readonly late: (() => Promise<void>)[];
}

/**
 * Applies the event to model and database. A statement that both refuse changes nothing. Returns the first difference,
 * or null.
 */
async function dispatchEvent(event: Event, transfer: Transfer): Promise<unknown> {
  const { originId } = transfer;
  const last = transfer.journal.requests.at(-1)?.number ?? 0;
  switch (event.kind) {
    case 'create':
    case 'lookup':
    case 'withdrawal': {
      const number = last + 1;
      const model = claimRefusal(transfer.journal, { kind: event.kind, number }, NOW_MS);
      const windowMs = event.kind === 'create' ? event.windowMs : null;
      const inFlightMs = event.kind === 'create' ? event.inFlightMs : null;
      const claimed = await db.journal.claimRequest({
        ...{ originId, number, kind: event.kind, runId: 'run-1' },
        ...(windowMs === null ? {} : { resendWindowMs: windowMs }),
        ...(inFlightMs === null ? {} : { inFlightMs }),
      });
      if ((claimed.kind === 'claimed') !== (model === null)) return { claim: event, model, claimed };
      if (model !== null) return null;
      transfer.journal = withClaim(transfer.journal, event.kind, nextMs(), {
        resendWindowMs: windowMs,
        inFlightMs,
      });
      if (!('answer' in event) || event.answer === null) return null;
      const { answer } = event;
      const record = async () => {
        await db.journal.recordAnswer({ originId, number, answer, digest: `digest-${number}` });
        transfer.journal = withAnswer(transfer.journal, number, answer, nextMs());
      };
      if (event.isLate) transfer.late.push(record);
      else await record();
      return null;
    }
    case 'not-founds': {
      const answer: LookupAnswer = { kind: 'not-found' };
      for (let number = last + 1; number <= last + event.count; number += 1) {
        const lookup = { kind: 'lookup', number } as const;
        const model = claimRefusal(transfer.journal, lookup, NOW_MS);
        const claimed = await db.journal.claimRequest({ originId, ...lookup, runId: 'run-1' });
        if ((claimed.kind === 'claimed') !== (model === null)) return { claim: event, model, claimed };
        if (model !== null) return null;
        transfer.journal = withClaim(transfer.journal, 'lookup', nextMs());
        if (number > last + 1) continue;
        await db.journal.recordAnswer({ originId, number, answer, digest: `digest-${number}` });
        transfer.journal = withAnswer(transfer.journal, number, answer, nextMs());
      }
      return null;
    }
    case 'decision':
      for (const { outcome, action, by, flags: openFlags = [], behind: unknown = 0 } of event.lines) {
        const record = aDecision(outcome, action, by, openFlags, Math.max(0, last - unknown));
        const model = decisionRefusal(transfer.journal, record);
        const { recorded } = await db.journal.recordDecision(originId, record);
        if (recorded !== (model === null)) return { decision: event, model, recorded };
        if (recorded) transfer.journal = withDecision(transfer.journal, record, nextMs());
      }
      return null;
    case 'flags':
      await db.journal.recordFlags(originId, event.reasons);
      transfer.journal = withFlags(transfer.journal, event.reasons, nextMs());
      return null;
    case 'doubt':
      await db.sql('insert into giro.doubt (origin_id, reason) values ($1, $2)', [originId, event.reason]);
      transfer.journal = withDoubt(transfer.journal, event.reason, nextMs());
      return null;
    case 'end':
      return end(transfer);
  }
}

/** Records the first end that model and database permit. Returns the first difference, or null. */
async function end(transfer: Transfer): Promise<unknown> {
  const { originId, journal } = transfer;
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
        return isNew ? null : 'another result is recorded';
      });
      if ((model === null) !== (database === null)) return { end: result, model, database };
      if (model !== null) continue;
      transfer.journal = withEnd(journal, result);
      return null;
    }
  }
  return null;
}

async function runHistory({
  events,
  offset,
  every,
}: typeof anyHistory extends fc.Arbitrary<infer H> ? H : never): Promise<unknown> {
  const originId = await openNew(db.journal);
  const transfer: Transfer = { originId, journal: openedJournal(NOW_MS), late: [] };
  for (const [turn, event] of events.entries()) {
    const waiting = transfer.late.length;
    const wrong =
      (await dispatchEvent(event, transfer)) ??
      (await differencesOf(transfer, { turn: turn + offset, every: EVERY_DURING }));
    if (wrong !== null) return wrong;
    if (waiting > 0) await transfer.late.shift()?.();
  }
  for (const record of transfer.late) await record();
  return differencesOf(transfer, { turn: offset, every });
}

test(`the model refuses what the database refuses, at every point of a history (GIRO_SEED=${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (history) => expect(await runHistory(history)).toBeNull()),
    {
      seed: SEED,
      numRuns: HISTORIES,
      examples: KNOWN_HISTORIES.map((events) => [{ events, offset: 0, every: 1 }]),
    },
  );
  expect(EXPECTED_COVERAGE.filter((what) => ![...covered].some((it) => it.startsWith(what)))).toEqual([]);
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
