import { isFinalStatus } from '../../src/domain/movement';
import type { LookupAnswer } from '../../src/domain/transfer/answers';
import { isRaised, openReasons } from '../../src/domain/transfer/flags';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { WORDS } from './answers';
import { dueStep, makeRequest } from './requests';
import { lastNumber, unreadAnswer } from './world';
import type { World } from './world';
import { writeAll } from './writes';

/**
 * Everything that the run after a lost run does not know, by design. In all other fields, the rebuilt state equals the
 * live one.
 */
export const FORGOTTEN: Readonly<Record<string, string>> = {
  hintedAtMs: 'the next notification hints again',
  cancelRequestedAtMs: 'a cancel belongs to the run; recovery starts one without it',
  withdrawalDenied: 'follows from the next withdrawal',
  resumedAtMs: 'age counts from the opening again, so the flag may come earlier, never later',
  'stage.name':
    'before a repeat that was due, twelve look-ups are made again; a known end is looked up again',
  'requests.lastError': 'why the last request failed',
  'requests.lastPolledAtMs': 'shown only',
  'requests.isUnanswered':
    'a look-up without news has no recorded answer, so the next one reads the journal once more',
  'requests.notBeforeMs': 'only a time; the Retry-After of the last answer is kept',
  'sends.notSentRun': 'the delay after creates that surely were not sent starts again',
  'sends.heldBack': 'the next claim finds the brake again',
  'sends.isTried':
    'the claim decides; if claim and run are both lost, people must report it (`setup --restored`)',
  'sends.mayRepeat': 'may be false where the live run would still repeat, never the other way',
  'sends.refusal': 'gone once a movement was reported',
  'bank.lastAnswer': 'operators decide by what the bank reports to this run',
  'bank.lastNotFound': 'operators decide by what the bank reports to this run',
  'bank.notFoundRun': 'not-founds are counted anew',
  'bank.unauthorizedRun': 'answers 401 are counted anew',
  'decisions.proposals': 'proposals end with their run, by a row of the journal',
  conflict: 'only the reason of an open one is kept',
};

/**
 * What a run may still know after a failover: rows that the journal has lost. While the request numbers agree, a
 * rebuilt state sends nothing that the live state would not send. If a claim and then its run are lost, people must
 * report the loss (`setup --restored`).
 */
export const LOST_BY_FAILOVER: Readonly<Record<string, string>> = {
  'requests.lastNumber': 'a claim',
  'requests.polls': 'the claim of a look-up',
  'requests.lastEndedAtMs': 'the only claim',
  'sends.count': 'a create, or that it surely was not sent',
  'sends.firstAtMs': 'a create, or that it surely was not sent',
  'sends.lastAtMs': 'a create, or that it surely was not sent',
  'bank.status': 'an answer',
  'bank.statusSinceMs': 'an answer',
  'bank.paceSinceMs': 'an answer',
  'bank.lastStatus': 'an answer',
  'bank.movementId': 'an answer, or a decision that forgets ids',
  'bank.echo': 'an answer, or a decision that forgets ids',
  'bank.foundByLookup': 'an answer',
  'bank.evidence': 'an answer: decisions that were signed over another number are refused',
  'stage.result':
    'the answer that a known end rests on: the guard refuses the end, and people see the refusal',
  'stage.evidenceNumber': 'as stage.result',
  'stage.operators': 'as stage.result',
  'stage.sinceMs': 'as stage.result',
  flags: 'a row of flags',
};

const NOT_COMPARED: ReadonlySet<string> = new Set([
  'settings',
  'journalId',
  'openedAtMs',
  'history',
  'flags',
  'recordedReasons',
]);

/** The forbidden difference between the rebuilt and the live state; null: none. */
export function brokenByRebuilding(world: World): string | null {
  const { run, truth, journal } = world;
  if (run === null || journal.result !== null || run.stage.name === 'receiving') return null;
  const ahead = run.requests.lastNumber - lastNumber(journal);
  // Another worker or a reconciliation has asked the bank. The run learns of it from its next claim.
  if (ahead < 0 || unreadAnswer(world) !== null) return null;
  const rebuilt = writeAll({ ...world, run: initialState(4711, world.nowMs) }).worlds.at(-1);
  if (rebuilt?.run == null) return null;
  const odd = differences(run, rebuilt.run).filter((path) => FORGOTTEN[path] === undefined);
  const lost = truth.isLineLost ? odd.filter((path) => LOST_BY_FAILOVER[fieldOf(path)] !== undefined) : [];
  if (odd.length > lost.length)
    return `a rebuilt state differs in ${odd.filter((path) => !lost.includes(path)).join(', ')}`;
  const isCreateLast = journal.requests.at(-1)?.kind === 'create';
  if (isCreateLast && !truth.isLineLost && isUnanswered(run) !== isUnanswered(rebuilt.run))
    return 'only one of the live and the rebuilt state waits for the answer of a create';
  const sends = dueStep(rebuilt)?.step.do === 'create' && !isRequestOf(world, 'create');
  const isClaimLost = truth.isLineLost && ahead > 0;
  // The step of a create checks the order again.
  const isJudgedAgain = truth.isLineLost && isRaised(run.flags, 'ORDER_TAMPERED');
  if (sends && !isClaimLost && !isJudgedAgain && run.cancelRequestedAtMs === null)
    return 'a rebuilt state sends, the live one does not';
  // The lost row may be the one that forbids a repeat or an end to the live run.
  if (lost.length > 0 || truth.isDecisionLost) return null;
  if (rebuilt.run.sends.mayRepeat && !run.sends.mayRepeat)
    return 'a rebuilt state may repeat, the live one may not';
  return endsElsewhere(world, rebuilt);
}

const isUnanswered = ({ requests }: TransferState): boolean => requests.isUnanswered === true;

/** All flags are one field. */
const fieldOf = (path: string): string => (path.startsWith('flags ') ? 'flags' : path);

const isRequestOf = (world: World, kind: 'create' | 'lookup'): boolean => dueStep(world)?.step.do === kind;

/** An answer that ends the rebuilt state must also end the live one. */
function endsElsewhere(live: World, rebuilt: World): string | null {
  if (!isRequestOf(live, 'lookup') || !isRequestOf(rebuilt, 'lookup')) return null;
  for (const { name, lookup } of ENDING) {
    const end = endBy(rebuilt, lookup);
    if (end !== null && end !== endBy(live, lookup))
      return `a rebuilt state ends ${end} by ${name}, the live one does not`;
  }
  return null;
}

/** Only these answers end a transfer; `brokenBy` checks that. */
const ENDING = WORDS.filter(({ seen }) => seen.echo === 'match' && isFinalStatus(seen.status));

function endBy(world: World, answer: LookupAnswer): string | null {
  const due = dueStep(world);
  if (due === null) return null;
  const next = makeRequest(due, answer, 'none')?.run ?? null;
  return next?.stage.name === 'ending' ? next.stage.result.status : null;
}

/** Paths at which two states differ; times are not compared. */
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

/** The fields of a state, down to the second level. */
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

/** Times become booleans: set or not. */
const timeless = (value: unknown): unknown =>
  typeof value === 'number' && value > 100_000 ? 'moment' : value === undefined ? null : value;
