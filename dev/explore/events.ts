import { DECISION_ACTIONS } from '../../src/domain/transfer/decisions/decision';
import type { LookupAnswer } from '../../src/domain/transfer/answers';
import { NO_ANSWER, NOT_FOUND, NOT_SENT, REFUSED, SHUT, UNBELIEVED, UNKNOWN, WORDS } from './answers';
import { isLosable } from './endings';
import { leaveAndForget, dueStep, giveUp, makeRequest, rivalLookup } from './requests';
import { loseRun, recover } from './losses';
import { cancel, decide, hint, pass, turnBrake } from './signals';
import type { Course, Deed, World } from './world';
import { settleDown } from './writes';

/** One thing that may happen next, and what becomes of the world by it: null, it cannot happen now. */
export interface Happening {
  readonly name: string;
  readonly happen: (world: World) => Course | null;
}

const HOUR_MS = 3_700_000;
const DAY_MS = 90_000_000;

const once =
  (change: (world: World) => World | null): Happening['happen'] =>
  (world) => {
    const next = change(world);
    return next === null ? null : settleDown(next);
  };

/** The same answer to so many requests running; everything in between is written down. */
const answered =
  (of: 'create' | 'lookup', answer: Parameters<typeof makeRequest>[1], times = 1): Happening['happen'] =>
  (world) => {
    const worlds: World[] = [];
    const deeds: Deed[] = [];
    let now = world;
    for (let made = 0; made < times; made += 1) {
      const due = dueStep(now);
      if (due === null || due.step.do !== of) return made === 0 ? null : { worlds, deeds };
      const next = makeRequest(due, answer, 'none');
      if (next === null) return made === 0 ? null : { worlds, deeds };
      const course = settleDown(next);
      deeds.push({ step: due.step, before: due.world }, ...course.deeds);
      worlds.push(...course.worlds);
      now = worlds.at(-1) ?? now;
    }
    return { worlds, deeds };
  };

const faulty =
  (of: 'create' | 'lookup', fault: 'step-lost' | 'claim-lost'): Happening['happen'] =>
  (world) => {
    const due = dueStep(world);
    if (due === null || due.step.do !== of) return null;
    const next = makeRequest(due, of === 'create' ? UNKNOWN : NO_ANSWER, fault);
    if (next === null) return null;
    const course = settleDown(next);
    return { ...course, deeds: [{ step: due.step, before: due.world }, ...course.deeds] };
  };

/** By symmetry the first movement id that is ever reported is A. */
const inOrder =
  (id: string | null, happen: Happening['happen']): Happening['happen'] =>
  (world) =>
    id === 'B' && !world.truth.isIdHeard ? null : happen(world);

/** By symmetry ana decides first. */
const isTurnOf = (operator: string, { run }: World): boolean =>
  operator === 'ana' || (run?.decisions.proposals.length ?? 0) > 0;

const words = (of: 'create' | 'lookup'): readonly Happening[] =>
  WORDS.map(({ name, seen, [of]: answer }) => ({
    name: `${of === 'create' ? 'the create is answered' : 'a look-up is answered'}: ${name}`,
    happen: inOrder(seen.movementId, answered(of, answer)),
  }));

/** What a second worker, or a reconciliation, hears. */
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
export const ALPHABET: readonly Happening[] = [
  ...words('create'),
  { name: 'the create is refused', happen: answered('create', REFUSED) },
  { name: 'the create is surely not sent', happen: answered('create', NOT_SENT) },
  { name: 'the create is not sent, for the order is not believed', happen: answered('create', UNBELIEVED) },
  { name: 'the answer of the create is lost', happen: answered('create', UNKNOWN) },
  { name: 'the worker dies after the create has left', happen: faulty('create', 'step-lost') },
  { name: 'the create leaves, and a failover loses its claim', happen: faulty('create', 'claim-lost') },
  ...words('lookup'),
  { name: 'a look-up finds nothing', happen: answered('lookup', NOT_FOUND) },
  { name: 'twelve look-ups find nothing', happen: answered('lookup', NOT_FOUND, 12) },
  { name: 'a look-up brings no answer', happen: answered('lookup', NO_ANSWER) },
  { name: 'twelve look-ups are answered 401', happen: answered('lookup', SHUT, 12) },
  { name: 'the worker dies after a look-up has left', happen: faulty('lookup', 'step-lost') },
  { name: 'a hint', happen: once(hint) },
  { name: 'a cancel', happen: once(cancel) },
  ...DECISION_ACTIONS.flatMap((action) =>
    ['ana', 'luis'].map((operator) => ({
      name: `${operator} decides ${action}`,
      happen: once((world) => (isTurnOf(operator, world) ? decide(world, action, operator) : null)),
    })),
  ),
  { name: 'the step of the create gives up after all its tries', happen: once(giveUp) },
  {
    name: 'the create leaves, its step gives up, and a failover loses its claim',
    happen: once(leaveAndForget),
  },
  { name: 'the emergency brake is turned', happen: once(turnBrake) },
  { name: 'the run is lost', happen: once((world) => (isLosable(world) ? loseRun(world) : null)) },
  { name: 'recovery starts a run', happen: once(recover) },
  ...RIVALS.map(({ name, answer, id }) => ({
    name: `another one's look-up: ${name}`,
    happen: inOrder(
      id,
      once((world) => rivalLookup(world, answer)),
    ),
  })),
  { name: 'an hour passes', happen: once((world) => pass(world, HOUR_MS)) },
  { name: 'a day passes', happen: once((world) => pass(world, DAY_MS)) },
];
