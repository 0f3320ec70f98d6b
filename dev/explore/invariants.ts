import { isIdentityDoubted } from '../../src/domain/transfer/echo-standing';
import { isHeld, isRaised, openReasons } from '../../src/domain/transfer/flags';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { NO_ANSWER, NOT_FOUND, WORDS } from './answers';
import { claimRefusal, endRefusal } from './journal-model';
import { recover } from './losses';
import { dueStep, makeRequest } from './requests';
import { pass } from './signals';
import { lastNumber, settings } from './world';
import type { Deed, World } from './world';
import { settleDown } from './writes';

/** What a step breaks of the rules of a transfer (contract 4); null: nothing. */
export function brokenBy({ step, before }: Deed): string | null {
  const { run, journal, truth } = before;
  if (run === null) return null;
  switch (step.do) {
    case 'create': {
      if (journal.result !== null) return null;
      if (isHeld(run.flags)) return 'a create while the transfer is held';
      return null;
    }
    case 'record-result':
    case 'record-annulment': {
      const { status, decidedBy } = step.result;
      const refusal = endRefusal(journal, step.result, step.do === 'record-annulment' ? step : null);
      // What a failover took, or another one has heard since, the run cannot know: then people are told of the refusal.
      const isInStep = !truth.isLineLost && lastNumber(journal) === run.requests.lastNumber;
      if (refusal !== null && journal.result === null && isInStep)
        return `the guard refuses ${status}: ${refusal}`;
      if (refusal !== null) return null;
      if (status === 'WITHDRAWN' && truth.sent > 0 && !truth.isUntold)
        return 'WITHDRAWN after a create has left';
      if (status === 'WITHDRAWN' && !truth.isCancelled) return 'WITHDRAWN without a cancel';
      if (decidedBy !== 'bank') return null;
      if (status === 'REFUSED') {
        if (truth.isFound && !truth.isUntold) return 'REFUSED although a look-up found a movement';
        return truth.sent > 1 && !truth.isUntold ? 'REFUSED after more than one create' : null;
      }
      const told = run.bank.lastAnswer;
      if (told?.status !== status || told.echo !== 'match') return `${status} without a matching answer`;
      return truth.ids.length > 1 && !truth.isUntold ? `${status} although the movement id changed` : null;
    }
    case 'wait':
    case 'lookup':
    case 'receive':
    case 'withdraw':
    case 'record-flags':
    case 'record-decision':
    case 'end':
      return null;
  }
}

/** What a change of the truth breaks: creates that have left. */
export function brokenBetween(before: World, after: World): string | null {
  const { truth } = after;
  if (truth.sent === before.truth.sent) return null;
  if (truth.isUntold) return null;
  if (truth.sent > 3) return 'a fourth create has left';
  if (before.truth.isFound) return 'a create has left although a look-up found a movement';
  const isConfirmed = before.truth.notFounds >= 12 || before.truth.isResendDue;
  if ((before.truth.sent > 0 && !isConfirmed) || truth.sent > before.truth.sent + 1)
    return 'a create was repeated without twelve not-founds, or operators';
  if (before.journal.result !== null) return 'a create has left after the end';
  return null;
}

/** What a world that waits breaks. */
export function brokenIn(world: World): string | null {
  const { run, journal, truth } = world;
  if (truth.ends > 1) return 'two ends';
  if (journal.annulments !== (journal.result?.status === 'FAILED' ? 1 : 0))
    return 'annulment and FAILED differ';
  const next = { kind: 'create', number: lastNumber(journal) + 1 } as const;
  const isForbidden = !truth.isLineLost && (truth.sent >= 3 || truth.isFound);
  if (isForbidden && claimRefusal(journal, next, world.nowMs) === null)
    return 'the database would grant a create that the rules forbid';
  if (run === null) return null;
  if (run.sends.count > truth.sent && !truth.isLineLost)
    return 'a create is taken to have left, and none has';
  if (run.stage.name !== 'ended') {
    if (isIdentityDoubted(run.bank.echo) && !isRaised(run.flags, 'ECHO_MISMATCH'))
      return 'a doubt without its flag';
    if (run.bank.echo.isMismatched && !isRaised(run.flags, 'ECHO_MISMATCH'))
      return 'a mismatch without its flag';
    if (openReasons(run.flags).join() !== run.recordedReasons.join() && run.stage.name !== 'receiving')
      return 'a flag that the journal does not know';
  }
  return forgottenWrongly(world) ?? standsStill(world);
}

/** Everything that a run after a lost one does not know, by design; a rebuilt state equals the live one in all else. */
export const FORGOTTEN: Readonly<Record<string, string>> = {
  hintedAtMs: 'hints are asked again by the next notification',
  cancelRequestedAtMs: 'a cancel belongs to the run; recovery starts one without it',
  withdrawalDenied: 'follows from the next withdrawal',
  resumedAtMs: 'age counts from the opening again: flagged earlier, never later',
  'stage.name':
    'a repeat that was due is looked up twelve times again; an end that was known is asked for again',
  'requests.lastError': 'why the last request failed',
  'requests.lastPolledAtMs': 'shown only',
  'requests.notBeforeMs': 'a moment; the Retry-After of the last answer is kept',
  'sends.notSentRun': 'creates that surely were not sent are paced anew',
  'sends.heldBack': 'the brake is met again',
  'sends.isTried':
    'the claim decides; of a lost claim and a lost run together people tell (`setup --restored`)',
  'sends.mayRepeat': 'may be false where the live run would still repeat, never the other way',
  'sends.refusal': 'gone once a movement was told',
  'bank.lastAnswer': 'operators decide by what the bank tells this run',
  'bank.lastNotFound': 'operators decide by what the bank tells this run',
  'bank.notFoundRun': 'not-founds are counted anew',
  'bank.unauthorizedRun': 'answers 401 are counted anew',
  'decisions.proposals': 'proposals go with their run, by a line of the journal',
  conflict: 'only the reason of an open one is kept',
};

const NOT_COMPARED: ReadonlySet<string> = new Set([
  'settings',
  'journalId',
  'openedAtMs',
  'history',
  'flags',
  'recordedReasons',
]);

function forgottenWrongly(world: World): string | null {
  const { run, truth, journal } = world;
  if (run === null || truth.isLineLost || journal.result !== null || run.stage.name === 'receiving')
    return null;
  // Another one has asked: the run learns of it by its next claim.
  if (run.requests.lastNumber !== lastNumber(journal)) return null;
  const rebuilt = settleDown({ ...world, run: initialState(4711, world.nowMs) }).worlds.at(-1);
  if (rebuilt?.run == null) return null;
  const odd = differences(run, rebuilt.run).filter((path) => FORGOTTEN[path] === undefined);
  if (odd.length > 0) return `a rebuilt state differs in ${odd.join(', ')}`;
  if (rebuilt.run.sends.mayRepeat && !run.sends.mayRepeat)
    return 'a rebuilt state may repeat, the live one may not';
  const due = dueStep(rebuilt);
  if (due?.step.do === 'create' && !isRequestOf(world, 'create') && run.cancelRequestedAtMs === null)
    return 'a rebuilt state sends, the live one does not';
  return endsElsewhere(world, rebuilt);
}

const isRequestOf = (world: World, kind: 'create' | 'lookup'): boolean => dueStep(world)?.step.do === kind;

/** A rebuilt state ends by no answer that would not end the live one. */
function endsElsewhere(live: World, rebuilt: World): string | null {
  if (!isRequestOf(live, 'lookup') || !isRequestOf(rebuilt, 'lookup')) return null;
  for (const { name, seen } of ENDING) {
    const end = endBy(rebuilt, seen);
    if (end !== null && end !== endBy(live, seen))
      return `a rebuilt state ends ${end} by ${name}, the live one does not`;
  }
  return null;
}

/** No other words end a transfer; `brokenBy` sees to that. */
const ENDING = WORDS.filter(
  ({ seen }) => seen.echo === 'match' && (seen.status === 'COMPLETED' || seen.status === 'FAILED'),
);

function endBy(world: World, seen: (typeof WORDS)[number]['seen']): string | null {
  const due = dueStep(world);
  if (due === null) return null;
  const next = makeRequest(due, { kind: 'movement', movement: seen }, 'none')?.run ?? null;
  return next?.stage.name === 'settling' ? next.stage.result.status : null;
}

/** Paths at which two states differ, in what is no moment of time. */
function differences(live: TransferState, rebuilt: TransferState): string[] {
  const differing: string[] = [];
  for (const [path, value] of leaves(live)) {
    if (NOT_COMPARED.has(path.split('.')[0] ?? '')) continue;
    const other = at(rebuilt, path);
    if (JSON.stringify(timeless(value)) !== JSON.stringify(timeless(other))) differing.push(path);
  }
  const flags = openReasons(live.flags).filter(
    (reason) => !ASKED_AGAIN.has(reason) && !isRaised(rebuilt.flags, reason),
  );
  return [...differing, ...flags.map((reason) => `flags ${reason}`)];
}

/** Flags that are raised by the clock, or by the next answer. */
const ASKED_AGAIN: ReadonlySet<string> = new Set(['OPEN_TOO_LONG']);

/** The parts of a state one by one, down to the second level. */
function leaves(state: TransferState): [string, unknown][] {
  return Object.entries(state).flatMap(([key, value]): [string, unknown][] =>
    GROUPS.has(key)
      ? Object.entries(value as object).map(([name, leaf]) => [`${key}.${name}`, leaf])
      : [[key, value]],
  );
}
const GROUPS: ReadonlySet<string> = new Set(['stage', 'requests', 'sends', 'bank', 'decisions']);

function at(state: TransferState, path: string): unknown {
  const [group = '', name] = path.split('.');
  const value = (state as unknown as Record<string, unknown>)[group];
  return name === undefined ? value : (value as Record<string, unknown>)[name];
}

/** Moments become yes or no: that there is one. */
const timeless = (value: unknown): unknown =>
  typeof value === 'number' && value > 100_000 ? 'moment' : value === undefined ? null : value;

/** Long enough for every age at which a transfer is flagged. */
const STEPS_MAX = 60;
const AGE_STEP_MS = settings.attentionAfterActiveMs / 4;

/** From everywhere an end or a flag is reached, also when the bank never answers, or never finds anything. */
function standsStill(world: World): string | null {
  for (const [name, answer] of [
    ['gives no answer', NO_ANSWER],
    ['finds nothing', NOT_FOUND],
  ] as const) {
    let now = { ...world, isSendingStopped: false };
    let steps = 0;
    while (!isOverOrFlagged(now)) {
      if ((steps += 1) > STEPS_MAX) return `it stands still without a flag while the bank ${name}`;
      now = advance(now, answer);
    }
  }
  return null;
}

const isOverOrFlagged = ({ run, journal }: World): boolean =>
  journal.result !== null || (run !== null && openReasons(run.flags).length > 0);

function advance(world: World, answer: typeof NO_ANSWER): World {
  if (world.run === null) return settleDown(recover(world) ?? world).worlds.at(-1) ?? world;
  const due = dueStep(pass(world, AGE_STEP_MS));
  if (due === null) return world;
  const reply = due.step.do === 'create' ? ({ kind: 'unknown', error: ERROR } as const) : answer;
  const next = makeRequest(due, reply, 'none') ?? due.world;
  return settleDown(next).worlds.at(-1) ?? next;
}

const ERROR = { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null } as const;
