import { createHash } from 'node:crypto';
import { factsOf } from '../../src/domain/transfer/facts';
import type { TransferFacts } from '../../src/domain/transfer/facts';
import { isHeld, openReasons } from '../../src/domain/transfer/flags';
import type { TransferState } from '../../src/domain/transfer/state';
import { ALPHABET, isLosable } from './events';
import type { Happening } from './events';
import { brokenBetween, brokenBy, brokenIn } from './invariants';
import { createRefusal, hasTwoMovements, linesOf } from './journal-model';
import type { ModelJournal } from './journal-model';
import { loseRun } from './losses';
import { lastNumber, newWorld, settings } from './world';
import type { Deed, World } from './world';

export interface Found {
  /** Worlds that differ in more than moments, of those that wait for the next event. */
  readonly states: number;
  readonly depth: number;
  /** Steps tried, those that led to a known state among them. */
  readonly tried: number;
  /** Null: no rule was broken. */
  readonly violation: Violation | null;
}

export interface Violation {
  readonly rule: string;
  /** What happened, from the opening of the transfer on. */
  readonly story: readonly string[];
}

export interface SearchOptions {
  readonly depth: number;
  readonly alphabet?: readonly Happening[];
  /** Told after each depth. */
  readonly onDepth?: (depth: number, states: number, tried: number) => void;
}

interface Node {
  readonly world: World;
  readonly parent: Node | null;
  readonly name: string;
}

/**
 * Breadth first through every world that so many events can reach, equal ones met once. So the first violation is one
 * of the shortest.
 */
export function search({ depth, alphabet = ALPHABET, onDepth }: SearchOptions): Found {
  const start: Node = { world: newWorld(), parent: null, name: 'the order is received' };
  const known = new Set([keyOf(start.world)]);
  let frontier: readonly Node[] = [start];
  let tried = 0;
  for (let level = 1; level <= depth; level += 1) {
    const next: Node[] = [];
    for (const node of frontier) {
      for (const { name, happen } of alphabet) {
        const course = happen(node.world);
        if (course === null) continue;
        tried += 1;
        const reached = course.worlds.at(-1);
        if (reached === undefined) continue;
        const rule = judge(node.world, course.worlds, course.deeds);
        if (rule !== null) return broken(rule, { world: reached, parent: node, name });
        // A crash falls between any two writes.
        const crashed = course.worlds
          .slice(0, -1)
          .filter(isLosable)
          .map((world) => ({
            ...{ world: loseRun(world), parent: node },
            name: `${name}; the run is lost before all of it is written down`,
          }));
        for (const child of [{ world: reached, parent: node, name }, ...crashed]) {
          const key = keyOf(child.world);
          if (known.has(key)) continue;
          known.add(key);
          const odd = brokenIn(child.world);
          if (odd !== null) return broken(odd, child);
          if (isToGoOn(child.world)) next.push(child);
        }
      }
    }
    frontier = next;
    onDepth?.(level, known.size, tried);
  }
  return { states: known.size, depth, tried, violation: null };

  function broken(rule: string, node: Node): Found {
    return { states: known.size, depth, tried, violation: { rule, story: storyOf(node) } };
  }
}

function judge(before: World, worlds: readonly World[], deeds: readonly Deed[]): string | null {
  for (const deed of deeds) {
    const rule = brokenBy(deed);
    if (rule !== null) return rule;
  }
  let last = before;
  for (const world of worlds) {
    const rule = brokenBetween(last, world);
    if (rule !== null) return rule;
    last = world;
  }
  return null;
}

/** After the end nothing follows; of what both a failover and a lost run took, people tell (`setup --restored`). */
const isToGoOn = ({ journal, truth }: World): boolean => journal.result === null && !truth.isUntold;

function storyOf(node: Node): readonly string[] {
  const names: string[] = [];
  for (let now: Node | null = node; now !== null; now = now.parent) names.unshift(now.name);
  return names;
}

/**
 * Equal for worlds that differ in nothing that a later rule could depend on. Moments are reduced to what is over by now,
 * and only where something waits for that: it may still come to be over later. DELAYED differs from IN_PROGRESS, and a
 * hint, a refused door (401) and a create that surely was not sent from nothing, in their cadence alone.
 */
export function keyOf({ run, journal, nowMs, ...rest }: World): string {
  const { truth, journalId, isSendingStopped } = rest;
  const text = JSON.stringify([
    run === null ? null : runKey(run, journal, nowMs, journalId),
    journalKey(journal),
    run === null || run.stage.name === 'sending' || run.sends.mayRepeat ? isSendingStopped : null,
    [
      truth.sent,
      truth.isFound,
      truth.ids,
      truth.notFounds >= 12,
      truth.isResendDue,
      truth.isLineLost,
      truth.ends,
    ],
    [truth.isUntold, truth.lostRuns, truth.rivals],
  ]);
  return createHash('md5').update(text).digest('base64');
}

function runKey(state: TransferState, journal: ModelJournal, nowMs: number, journalId: string): unknown {
  const { stage, requests, sends, bank, decisions, conflict } = state;
  const { lastAnswer: told, lastNotFound } = bank;
  const { proposals } = decisions;
  return [
    [stage.name, 'result' in stage ? [stage.result.status, stage.result.decidedBy] : null],
    flagsKey(openReasons(state.flags)),
    flagsKey(state.recordedReasons),
    conflict === null ? null : [conflict.cause, conflict.isUnexplained],
    requests.lastNumber - lastNumber(journal),
    [
      sends.count,
      sends.refusal !== null,
      sends.mayRepeat,
      sends.isCountKnown !== false,
      sends.isTried === true,
    ],
    clockKey(state, nowMs),
    bankKey(bank),
    // A decision rests on the last answer's status and echo, a proposal on the whole of it.
    told === null ? null : [DECIDED_BY[told.status] ?? 'active', told.echo],
    told === null || lastNotFound === null ? lastNotFound !== null : lastNotFound.number > told.number,
    countKey(bank.notFoundRun),
    sends.count === 0
      ? [state.cancelRequestedAtMs !== null, state.withdrawalDenied, sends.heldBack !== null]
      : null,
    proposals.map(({ action, operator }) => [
      action,
      operator,
      told?.status,
      told?.movementId,
      told?.echoFields,
    ]),
    state.journalId === journalId,
  ];
}

const DECIDED_BY: Readonly<Record<string, string>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  REVERSED: 'unknown',
};

const flagsKey = (reasons: readonly string[]): readonly string[] =>
  reasons.filter((reason) => reason !== 'BANK_UNAUTHORIZED');

const statusKey = (status: string | null): string | null => (status === 'DELAYED' ? 'IN_PROGRESS' : status);

const bankKey = ({
  status,
  lastWord,
  movementId,
  echo,
  foundByLookup,
}: TransferFacts['bank'] | TransferState['bank']) => [
  ...[statusKey(status), statusKey(lastWord), movementId, foundByLookup],
  [echo.movementIds, echo.isOtherOrigin, echo.isMismatched],
];

/** Twelve not-founds mean something, one is not none; between them the count changes nothing. */
const countKey = (notFounds: number): number => (notFounds >= 12 ? 12 : Math.min(notFounds, 1));

/** What is over by now, where a repeat or a decision waits for it. */
function clockKey({ stage, sends, bank, flags }: TransferState, nowMs: number): unknown {
  const isOver = (ms: number | null, limitMs: number) => ms !== null && nowMs - ms >= limitMs;
  const isDecidable = isHeld(flags);
  return [
    isDecidable || stage.name === 'sending' ? isOver(sends.firstAtMs, settings.resendWindowMs) : null,
    isDecidable ? isOver(sends.lastAtMs, 86_400_000) : null,
    isDecidable ? isOver(bank.lastNotFound?.atMs ?? null, settings.pollDelayedMs) : null,
  ];
}

const journalKeys = new WeakMap<ModelJournal, unknown>();

function journalKey(journal: ModelJournal): unknown {
  const known = journalKeys.get(journal);
  if (known !== undefined) return known;
  const key = newJournalKey(journal);
  journalKeys.set(journal, key);
  return key;
}

function newJournalKey(journal: ModelJournal): unknown {
  const { sends, bank, openFlags, conflict, proposals, acceptance } = factsOf(linesOf(journal, 0));
  const last = journal.requests.at(-1);
  const told = journal.requests.flatMap(({ answer }) => (answer === null ? [] : [answer.value]));
  return [
    [journal.result?.status, journal.result?.decidedBy, journal.annulments, journal.doubts.length > 0],
    [sends.count, sends.refusal !== null, sends.mayRepeat, sends.isCountKnown],
    bankKey(bank),
    [flagsKey(openFlags.map(({ reason }) => reason)), conflict, acceptance?.flags ?? null],
    proposals.map(({ action, operator }) => [action, operator]),
    [last?.kind, last?.answer === null],
    createRefusal(journal, 0),
    hasTwoMovements(journal),
    // What the guards of an end look for among all lines.
    told.some(
      (value) =>
        'movement' in value && value.movement.echo === 'match' && value.movement.status === 'COMPLETED',
    ),
    told.some(({ kind }) => kind === 'refused'),
    told.some(
      (value) => 'movement' in value && (value.kind === 'movement' || value.movement.echo !== 'mismatch'),
    ),
  ];
}
