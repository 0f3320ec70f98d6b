import type { ModelJournal } from './journal-model';
import { failOver, loseRun, withoutLastAnswer } from './losses';
import { lastNumber } from './world';
import type { Course, World } from './world';

/** One way in which an event turns out. */
export interface Ending {
  readonly world: World;
  /** Printed in traces. */
  readonly suffix: string;
}

/** Most lost runs in a trace. */
export const LOST_RUNS_MAX = 2;

export const isLosable = ({ run, truth }: World): boolean => run !== null && truth.lostRuns < LOST_RUNS_MAX;

/**
 * A failover counts as so many events: what run and journal then know apart multiplies the states, so its traces are
 * shorter by that.
 */
export const FAILOVER_EVENTS = 2;

/**
 * How an event can turn out, the faultless way first. Between any two writes the run may be lost; and PostgreSQL may
 * fail over and keep any part of what was written, once in a trace. A failover that comes later, and takes what this
 * event wrote, leads to the same: nothing in between has read it, or it is an event that has endings of its own.
 */
export function endingsOf(
  before: World,
  { worlds, stepsTaken }: Course,
  isFailing = true,
): readonly Ending[] {
  const whole = worlds.at(-1);
  if (whole === undefined) return [];
  const endings: Ending[] = [{ world: whole, suffix: '' }];
  const written = partsWritten(before, worlds);
  for (const world of written) {
    if (isLosable(world))
      endings.push({
        world: loseRun(world),
        suffix: '; the run is lost before all of it is written down',
      });
  }
  if (!isFailing) return endings;
  const isTouched = stepsTaken.length > 0 || whole.journal !== before.journal;
  if (!isTouched || whole.truth.isLineLost || whole.journal.result !== null) return endings;
  for (const kept of keptBy(before, [...written, whole]))
    endings.push({ world: failOver(whole, kept), suffix: '; a failover loses part of what was written' });
  return endings;
}

/** The worlds between two writes, without the last. */
function partsWritten(before: World, worlds: readonly World[]): readonly World[] {
  let last = before;
  return worlds.slice(0, -1).filter((world) => {
    const isNew = isWritten(last, world);
    last = world;
    return isNew;
  });
}

/** What a failover may keep: everything up to any write of this event, e.g. its claim without the outcome. */
function keptBy(before: World, written: readonly World[]): ReadonlySet<ModelJournal> {
  const claimed = written.find(({ journal }) => lastNumber(journal) > lastNumber(before.journal)) ?? before;
  return new Set([
    before.journal,
    ...(claimed === before ? [] : [withoutLastAnswer(claimed.journal) ?? claimed.journal]),
    ...written.map(({ journal }) => journal),
  ]);
}

/** After a look-up without an answer of its own a further one leaves nothing but its number. */
function isWritten(before: World, after: World): boolean {
  const { journal, truth, journalId } = before;
  if (journal === after.journal && truth === after.truth && journalId === after.journalId) return false;
  const isAlike =
    journal.nextRecordId === after.journal.nextRecordId &&
    truth.sent === after.truth.sent &&
    truth.notFounds >= 12 === after.truth.notFounds >= 12 &&
    journalId === after.journalId;
  return !(isAlike && isQuiet(journal) && isQuiet(after.journal));
}

function isQuiet({ requests }: ModelJournal): boolean {
  const last = requests.at(-1);
  return last?.kind === 'lookup' && last.answer === null;
}
