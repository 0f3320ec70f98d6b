import type { ModelJournal } from './journal-model';
import { failOver, loseRun, withoutLastAnswer } from './losses';
import { lastNumber } from './world';
import type { Course, World } from './world';

/** One possible outcome of an event. */
export interface Ending {
  readonly world: World;
  /** Printed in traces. */
  readonly suffix: string;
}

/** Maximum number of lost runs in a trace. */
export const LOST_RUNS_MAX = 2;

export const isLosable = ({ run, truth }: World): boolean => run !== null && truth.lostRuns < LOST_RUNS_MAX;

/**
 * A failover counts as this many events. After a failover, run and journal know different things, which multiplies the
 * states; so traces with a failover are shorter.
 */
export const FAILOVER_EVENTS = 2;

/**
 * The possible outcomes of an event, the one without faults first. Between any two writes the run may be lost. Once in
 * a trace, PostgreSQL may fail over and keep any part of what the event wrote. A later failover that loses the same
 * writes needs no outcome here: either nothing read them in between, or the event that read them has outcomes with a
 * failover itself.
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
        suffix: '; the run is lost before everything is written',
      });
  }
  if (!isFailing) return endings;
  const isTouched = stepsTaken.length > 0 || whole.journal !== before.journal;
  if (!isTouched || whole.truth.isLineLost || whole.journal.result !== null) return endings;
  for (const kept of keptBy(before, [...written, whole]))
    endings.push({ world: failOver(whole, kept), suffix: '; a failover loses part of what was written' });
  return endings;
}

/** The worlds between two writes, without the last world. */
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

/** After a look-up without a recorded answer, another such look-up adds only its number. */
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
