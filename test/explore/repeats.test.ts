import { ALPHABET } from '../../dev/explore/events';
import { createRefusal } from '../../dev/explore/journal-model';
import { dueStep } from '../../dev/explore/requests';
import { newWorld } from '../../dev/explore/world';
import type { World } from '../../dev/explore/world';

/**
 * Every way in which a run sends an order once more. The journal judges each create by the same rule
 * (`giro.create_refusal`): it grants these, and without what the run waited for it grants none.
 */

const LOST = 'the answer of the create is lost';
const REFUSED = 'the create is refused';
const NOT_SENT = 'the create is surely not sent';
const UNBELIEVED = 'the create is not sent, for the order is not believed';
const WORKER_DEAD = 'the worker dies after the create has left';
const TAKEN = 'the create is answered: IN_PROGRESS, match, movement A';
const TAKEN_IN_PART = 'the create is answered: IN_PROGRESS, incomplete, movement A';
const OTHER_ORDER = 'the create is answered: IN_PROGRESS, mismatch, movement A';
const YET_ANOTHER = 'the create is answered: IN_PROGRESS, mismatch, movement B';
const TWELVE = 'twelve look-ups find nothing';
const NOT_FOUND = 'a look-up finds nothing';
const NO_ANSWER = 'a look-up brings no answer';
const LOOKUP_LOST = 'the worker dies after a look-up has left';
const BRAKE = 'the emergency brake is turned';
const RUN_LOST = 'the run is lost';
const RECOVERED = 'recovery starts a run';
const RIVAL = "another one's look-up: not found";
const RESUMED = 'ana decides resume';
const RESENT = ['ana decides resend', 'luis decides resend'];

const WAYS: Readonly<Record<string, readonly string[]>> = {
  'its answer was lost': [LOST, TWELVE],
  'its worker died': [WORKER_DEAD, TWELVE],
  'a third one': [LOST, TWELVE, LOST, TWELVE],
  'the second was refused': [LOST, TWELVE, REFUSED, TWELVE],
  'the first was surely not sent, the second lost': [NOT_SENT, LOST, TWELVE],
  'the repeat was surely not sent, and goes at once': [LOST, TWELVE, NOT_SENT, NOT_SENT],
  'errors and lost look-ups between': [LOST, NOT_FOUND, NO_ANSWER, LOOKUP_LOST, TWELVE],
  'the brake held the repeat back': [LOST, TWELVE, BRAKE, LOST, TWELVE, BRAKE],
  'the run was lost after it': [LOST, RUN_LOST, RECOVERED, TWELVE],
  'the run was lost before the repeat': [LOST, TWELVE, RUN_LOST, RECOVERED, TWELVE],
  'another one has looked up meanwhile': [LOST, RUN_LOST, RIVAL, RECOVERED, TWELVE],
  'it was answered with another order': [OTHER_ORDER, TWELVE],
  'ECHO_MISMATCH was resumed': [OTHER_ORDER, TWELVE, YET_ANOTHER, RESUMED, TWELVE],
  'VANISHED: operators have it sent': [TAKEN, TWELVE, ...RESENT],
  'the same, the echo incomplete': [TAKEN_IN_PART, TWELVE, ...RESENT],
  'the same, surely not sent, and again': [TAKEN, TWELVE, ...RESENT, NOT_SENT],
  'OUTCOME_UNKNOWN: operators have it sent once more': [TAKEN, TWELVE, ...RESENT, LOST, TWELVE, ...RESENT],
  'ORDER_TAMPERED before the repeat: operators have it sent': [LOST, TWELVE, UNBELIEVED, ...RESENT],
  'OUTCOME_UNKNOWN was resumed: operators have it sent': [
    ...[TAKEN, TWELVE, ...RESENT, LOST, TWELVE],
    ...[RESUMED, TWELVE, ...RESENT],
  ],
};

/** No way: why nothing is sent again. */
const NO_WAYS: Readonly<Record<string, readonly [refusal: string, ...events: string[]]>> = {
  'nobody has looked': ['fewer than 12 look-ups have found nothing since the last create', LOST],
  'nobody has looked since the second': [
    ...(['fewer than 12 look-ups have found nothing since the last create', LOST] as const),
    ...[TWELVE, LOST],
  ],
  'the bank has taken it': ['only operators have it sent again', TAKEN, TWELVE],
  'operators have looked at its outcome': [
    ...(['only operators have it sent again', TAKEN, TWELVE] as const),
    ...[...RESENT, LOST, TWELVE, RESUMED, TWELVE],
  ],
  'operators have resumed it after a send': [
    ...(['only operators have it sent again', LOST, TWELVE] as const),
    ...[UNBELIEVED, RESUMED, TWELVE],
  ],
  'the bank has refused it': ['the bank refused the only one', REFUSED, NOT_FOUND],
};

function after(events: readonly string[]): World {
  let world = newWorld();
  for (const name of events) {
    const next = ALPHABET.find((event) => event.name === name)
      ?.apply(world)
      ?.worlds.at(-1);
    if (next === undefined) throw new Error(`${name}: it cannot happen`);
    world = next;
  }
  return world;
}

describe('a create is repeated', () => {
  test.each(Object.entries(WAYS))('%s', (_, events) => {
    const world = after(events);
    const due = dueStep(world);
    expect([due?.step.do, world.run?.sends.count]).toEqual(['create', world.truth.sent]);
    expect(world.truth.sent).toBeGreaterThan(0);
    expect(createRefusal(world.journal, due?.world.nowMs ?? 0)).toBeNull();
  });
});

describe('it is not, and the journal refuses it whoever asks', () => {
  test.each(Object.entries(NO_WAYS))('%s', (_, [refusal, ...events]) => {
    const world = after(events);
    expect(dueStep(world)?.step.do).not.toBe('create');
    expect(createRefusal(world.journal, world.nowMs)).toBe(refusal);
  });
});
