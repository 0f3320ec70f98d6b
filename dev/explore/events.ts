import { DECISION_ACTIONS } from '../../src/domain/transfer/decisions/decision';
import type { LookupAnswer } from '../../src/domain/transfer/answers';
import { NO_ANSWER, NOT_FOUND, NOT_SENT, REFUSED, SHUT, UNBELIEVED, UNKNOWN, WORDS } from './answers';
import { isLosable } from './endings';
import {
  answerLate,
  answerLookupLate,
  leaveAndForget,
  dueStep,
  giveUp,
  makeRequest,
  rivalLookup,
} from './requests';
import { loseRun, recover } from './losses';
import { cancel, decide, hint, pass, turnBrake } from './signals';
import type { Course, StepTaken, World } from './world';
import { writeAll } from './writes';

/** An event, and the world after it; null: the event is not possible now. */
export interface ModelEvent {
  readonly name: string;
  readonly apply: (world: World) => Course | null;
}

const HOUR_MS = 3_700_000;
const DAY_MS = 90_000_000;

const once =
  (change: (world: World) => World | null): ModelEvent['apply'] =>
  (world) => {
    const next = change(world);
    return next === null ? null : writeAll(next);
  };

/** The same answer to `times` requests in a row; everything in between is recorded. */
const answered =
  (of: 'create' | 'lookup', answer: Parameters<typeof makeRequest>[1], times = 1): ModelEvent['apply'] =>
  (world) => {
    const worlds: World[] = [];
    const stepsTaken: StepTaken[] = [];
    let now = world;
    for (let made = 0; made < times; made += 1) {
      const due = dueStep(now);
      if (due === null || due.step.do !== of) return made === 0 ? null : { worlds, stepsTaken };
      const next = makeRequest(due, answer, 'none');
      if (next === null) return made === 0 ? null : { worlds, stepsTaken };
      const course = writeAll(next);
      stepsTaken.push({ step: due.step, before: due.world }, ...course.stepsTaken);
      worlds.push(...course.worlds);
      now = worlds.at(-1) ?? now;
    }
    return { worlds, stepsTaken };
  };

const faulty =
  (of: 'create' | 'lookup', fault: 'step-lost' | 'claim-lost'): ModelEvent['apply'] =>
  (world) => {
    const due = dueStep(world);
    if (due === null || due.step.do !== of) return null;
    const next = makeRequest(due, of === 'create' ? UNKNOWN : NO_ANSWER, fault);
    if (next === null) return null;
    const course = writeAll(next);
    return { ...course, stepsTaken: [{ step: due.step, before: due.world }, ...course.stepsTaken] };
  };

/** By symmetry, the first reported movement id is A. */
const inOrder =
  (id: string | null, applied: ModelEvent['apply']): ModelEvent['apply'] =>
  (world) =>
    id === 'B' && !world.truth.isIdReceived ? null : applied(world);

/** By symmetry, ana decides first. */
const isTurnOf = (operator: string, { run }: World): boolean =>
  operator === 'ana' || (run?.decisions.proposals.length ?? 0) > 0;

const words = (of: 'create' | 'lookup'): readonly ModelEvent[] =>
  WORDS.map(({ name, seen, [of]: answer }) => ({
    name: `${of === 'create' ? 'the create is answered' : 'a look-up is answered'}: ${name}`,
    apply: inOrder(seen.movementId, answered(of, answer)),
  }));

/** The answer that a second worker or a reconciliation receives. */
const RIVALS: readonly {
  readonly name: string;
  readonly answer: LookupAnswer;
  readonly id: string | null;
}[] = [
  { name: 'not found', answer: NOT_FOUND, id: null },
  ...WORDS.filter(({ seen: { movementId: id, status, echo, echoFields } }) =>
    echo === 'match'
      ? id !== null && (status === 'IN_PROGRESS' || status === 'FAILED')
      : id !== null && status === 'IN_PROGRESS' && echoFields.includes('amount'),
  ).map(({ name, seen, lookup }) => ({ name, answer: lookup, id: seen.movementId })),
];

/** The alphabet: everything that may happen between two waits of a transfer. */
export const ALPHABET: readonly ModelEvent[] = [
  ...words('create'),
  ...WORDS.map(({ name, seen, create }) => ({
    name: `a lost run's create is recorded late: ${name}`,
    apply: inOrder(
      seen.movementId,
      once((world) => answerLate(world, create)),
    ),
  })),
  ...Object.entries({
    refused: REFUSED,
    'surely not sent': NOT_SENT,
    'not sent, for the order is not believed': UNBELIEVED,
    'without an answer': UNKNOWN,
  }).map(([how, answer]) => ({
    name: `a lost run's create is recorded late: ${how}`,
    apply: once((world) => answerLate(world, answer)),
  })),
  ...RIVALS.map(({ name, answer, id }) => ({
    name: `a lost run's look-up is recorded late: ${name}`,
    apply: inOrder(
      id,
      once((world) => answerLookupLate(world, answer)),
    ),
  })),
  { name: 'the create is refused', apply: answered('create', REFUSED) },
  { name: 'the create is surely not sent', apply: answered('create', NOT_SENT) },
  { name: 'the create is not sent, for the order is not believed', apply: answered('create', UNBELIEVED) },
  { name: 'the answer of the create is lost', apply: answered('create', UNKNOWN) },
  { name: 'the worker dies after the create has left', apply: faulty('create', 'step-lost') },
  { name: 'the create leaves, and a failover loses its claim', apply: faulty('create', 'claim-lost') },
  ...words('lookup'),
  { name: 'a look-up finds nothing', apply: answered('lookup', NOT_FOUND) },
  { name: 'twelve look-ups find nothing', apply: answered('lookup', NOT_FOUND, 12) },
  { name: 'a look-up brings no answer', apply: answered('lookup', NO_ANSWER) },
  { name: 'twelve look-ups are answered 401', apply: answered('lookup', SHUT, 12) },
  { name: 'the worker dies after a look-up has left', apply: faulty('lookup', 'step-lost') },
  { name: 'a hint', apply: once(hint) },
  { name: 'a cancel', apply: once(cancel) },
  ...DECISION_ACTIONS.flatMap((action) =>
    ['ana', 'luis'].map((operator) => ({
      name: `${operator} decides ${action}`,
      apply: once((world) => (isTurnOf(operator, world) ? decide(world, action, operator) : null)),
    })),
  ),
  { name: 'the step of the create gives up after all its tries', apply: once(giveUp) },
  {
    name: 'the create leaves, its step gives up, and a failover loses its claim',
    apply: once(leaveAndForget),
  },
  { name: 'the emergency brake is turned', apply: once(turnBrake) },
  { name: 'the run is lost', apply: once((world) => (isLosable(world) ? loseRun(world) : null)) },
  { name: 'recovery starts a run', apply: once(recover) },
  ...RIVALS.map(({ name, answer, id }) => ({
    name: `another one's look-up: ${name}`,
    apply: inOrder(
      id,
      once((world) => rivalLookup(world, answer)),
    ),
  })),
  { name: 'an hour passes', apply: once((world) => pass(world, HOUR_MS)) },
  { name: 'a day passes', apply: once((world) => pass(world, DAY_MS)) },
];
