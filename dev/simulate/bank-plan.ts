import type { SandboxRule } from '../../src/sandbox-bank';
import type { BankCourse, Course } from './faults';
import type { Draws } from './random';

type CreateSteps = NonNullable<SandboxRule['create']>;
type QuerySteps = NonNullable<SandboxRule['query']>;
type Echo = NonNullable<SandboxRule['echo']>;

/** Weights: how often the bank reports each sequence of statuses; the last status stays. */
const FLOWS = {
  completed: 30,
  'completed at once': 6,
  failed: 16,
  'failed at once': 6,
  'delayed, then completed': 12,
  'delayed, then failed': 10,
  'a word of its own, then completed': 6,
  'for longer than one run': 10,
  'without end': 4,
} as const;
type Flow = keyof typeof FLOWS;

const STATES: Readonly<Record<Flow, readonly string[]>> = {
  completed: ['CREATED', 'IN_PROGRESS', 'COMPLETED'],
  'completed at once': ['COMPLETED'],
  failed: ['CREATED', 'IN_PROGRESS', 'FAILED'],
  'failed at once': ['FAILED'],
  'delayed, then completed': ['CREATED', 'DELAYED', 'DELAYED', 'COMPLETED'],
  'delayed, then failed': ['DELAYED', 'IN_PROGRESS', 'FAILED'],
  'a word of its own, then completed': ['CREATED', 'ON_HOLD', 'ON_HOLD', 'COMPLETED'],
  // More look-ups than one run makes: a run continues as new after thirty.
  'for longer than one run': [...Array<string>(33).fill('IN_PROGRESS'), 'COMPLETED'],
  'without end': ['IN_PROGRESS'],
};

const LAST_STATUSES: Readonly<Record<Flow, Course['lastStatus']>> = {
  completed: 'COMPLETED',
  'completed at once': 'COMPLETED',
  failed: 'FAILED',
  'failed at once': 'FAILED',
  'delayed, then completed': 'COMPLETED',
  'delayed, then failed': 'FAILED',
  'a word of its own, then completed': 'COMPLETED',
  'for longer than one run': 'COMPLETED',
  'without end': null,
};

const HELD_MS = 20_000;

/** Creates that the bank answers late or never. */
const HELD: ReadonlySet<string> = new Set(['timeout-before', 'timeout-after', 'slow', 'never taken']);

/** Creates that the bank does not take. They are repeated after twelve not-founds. */
const NOT_TAKEN: ReadonlySet<string> = new Set([
  ...['timeout-before', 'reset', 'http-503', 'http-429', 'http-302', 'malformed:cut-off, not taken'],
]);

/** Faults of a create: what the bank does instead of answering normally. */
const CREATE_FAULTS = {
  'lost-answer': ['lost-answer'],
  'timeout-before': [{ fault: 'timeout-before', holdMs: HELD_MS }],
  'timeout-after': [{ fault: 'timeout-after', holdMs: HELD_MS }],
  reset: ['reset'],
  slow: [{ fault: 'slow', delayMs: 1_500 }],
  'http-500, taken': [{ fault: 'http-500', taken: true }],
  'http-503': ['http-503'],
  'http-429': [{ fault: 'http-429', headers: { 'retry-after': '7' } }],
  'http-302': ['http-302'],
  refused: [{ fault: 'http-422', code: 'ACCOUNT_BLOCKED', times: 'always' }],
  'duplicate-error, taken': [{ fault: 'duplicate-error', taken: true }],
  'malformed:truncated': ['malformed:truncated'],
  'malformed:html': ['malformed:html'],
  'malformed:wrong-types': ['malformed:wrong-types'],
  'malformed:cut-off, not taken': [{ fault: 'malformed:cut-off', taken: false }],
  'never taken': [{ fault: 'timeout-before', holdMs: HELD_MS, times: 'always' }],
} as const satisfies Record<string, CreateSteps>;

/** Faults of a look-up: what the bank does instead of answering normally. */
const QUERY_FAULTS = {
  'http-500': ['http-500'],
  'http-503': [{ fault: 'http-503', times: 2 }],
  'http-401': ['http-401'],
  'http-302': ['http-302'],
  reset: ['reset'],
  'lost-answer': ['lost-answer'],
  'timeout-before': [{ fault: 'timeout-before', holdMs: HELD_MS }],
  slow: [{ fault: 'slow', delayMs: 1_500 }],
  'not-found': [{ fault: 'not-found', times: 3 }],
  'malformed:html': ['malformed:html'],
  'malformed:empty': ['malformed:empty'],
  'malformed:duplicate-keys': ['malformed:duplicate-keys'],
} as const satisfies Record<string, QuerySteps>;

/** Share of the orders that get each kind of fault; an order may get several. */
const CREATE_FAULT_SHARE = 0.4;
const QUERY_FAULT_SHARE = 0.4;
const ECHO_SHARE = 0.12;
const VANISHES_SHARE = 0.03;
const DUPLICATE_ERROR_SHARE = 0.2;

const WRONG_ECHOES = {
  'a wrong amount': [{ set: { 'details.amount': 1 }, until: 2 }],
  'another destination': [
    { set: { 'counterparty.accountRouting.address': '0009001600000000000017' }, until: 2 },
  ],
  'an id that changes': [{ set: { id: '7' }, from: 2 }],
  'no details': [{ omit: ['details'] }],
} as const satisfies Record<string, Echo>;

const NOTIFY = {
  ...{ once: 4, lost: 2, doubled: 2, early: 2, late: 2, 'out-of-order': 2, 'wrong-signature': 1 },
} as const;

export interface PlannedBank {
  readonly rule: SandboxRule;
  readonly story: string;
  readonly neverEnds: boolean;
  readonly course: BankCourse;
}

/** What the bank does with one order. */
export function plannedRule(draws: Draws, originId: number): PlannedBank {
  const flow = draws.weighted(FLOWS);
  const creates = draws.chance(CREATE_FAULT_SHARE) ? some(draws, CREATE_FAULTS, 2) : [];
  const queries = draws.chance(QUERY_FAULT_SHARE) ? some(draws, QUERY_FAULTS, 3) : [];
  const echo = draws.chance(ECHO_SHARE) ? some(draws, WRONG_ECHOES, 1) : [];
  const vanishes = draws.chance(VANISHES_SHARE);
  const duplicates = draws.chance(DUPLICATE_ERROR_SHARE) ? 'error' : 'original';
  const notify = draws.weighted(NOTIFY);
  const story = [
    flow,
    ...creates.map(({ name }) => `create ${name}`),
    ...(vanishes ? ['vanishes'] : queries.map(({ name }) => `look-up ${name}`)),
    ...echo.map(({ name }) => name),
    `notified ${notify}`,
  ];
  // The first fault that decides about the order; the creates before it are repeated.
  const decisive = creates.find(({ name }) => !NOT_TAKEN.has(name))?.name;
  const isTaken = decisive !== 'never taken' && decisive !== 'refused';
  const lastStatus = vanishes || !isTaken ? null : LAST_STATUSES[flow];
  return {
    story: story.join('; '),
    neverEnds: flow === 'without end' || decisive === 'never taken',
    course: {
      ...{ lastStatus, isLong: isTaken && !vanishes && flow === 'for longer than one run' },
      isHeld: HELD.has(creates[0]?.name ?? ''),
      isRepeated: NOT_TAKEN.has(creates[0]?.name ?? ''),
      isFlagged:
        decisive === 'never taken' ||
        (isTaken && (vanishes || echo.length > 0 || flow === 'a word of its own, then completed')),
    },
    rule: {
      match: { originId },
      states: STATES[flow],
      create: upToAlways(creates.flatMap(({ steps }) => steps as CreateSteps)),
      query: vanishes
        ? ['ok', { fault: 'not-found', times: 'always' }]
        : ['ok', ...queries.flatMap(({ steps }) => steps as QuerySteps)],
      echo: echo.flatMap(({ steps }) => steps as Echo),
      ...{ duplicates, notify },
    },
  };
}

/** Draws one to `max` entries of a table; an entry may be drawn twice. */
const some = <T>(draws: Draws, table: Readonly<Record<string, T>>, max: number) =>
  Array.from({ length: draws.between(1, max) }, () => {
    const [name, steps] = draws.pick(Object.entries(table));
    return { name, steps };
  });

/** The steps up to the first that repeats for ever: no step may follow it. Without steps: `ok`. */
function upToAlways(steps: CreateSteps): CreateSteps {
  const always = steps.findIndex((step) => typeof step === 'object' && step.times === 'always');
  const until = always === -1 ? steps : steps.slice(0, always + 1);
  return until.length === 0 ? ['ok'] : until;
}
