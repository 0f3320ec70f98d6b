import { isIdentityDoubted } from '../../src/domain/transfer/echo-state';
import { endIssue } from '../../src/domain/transfer/end-issue';
import { isHeld, isRaised, openReasons } from '../../src/domain/transfer/flags';
import { NO_ANSWER, NOT_FOUND } from './answers';
import { claimRefusal, createRefusal, endRefusal, linesOf } from './journal-model';
import { recover } from './losses';
import { brokenByRebuilding } from './rebuilt';
import { dueStep, makeRequest } from './requests';
import { pass } from './signals';
import { lastNumber, settings, unreadAnswer } from './world';
import type { StepTaken, World } from './world';
import { writeAll } from './writes';

/** The rule of a transfer (contract 4) that a step breaks; null: none. */
export function brokenBy({ step, before }: StepTaken): string | null {
  const { run, journal, truth } = before;
  if (run === null) return null;
  switch (step.do) {
    case 'create': {
      if (journal.result !== null) return null;
      if (isHeld(run.flags)) return 'a create while the transfer is held';
      return deniedRepeat(before);
    }
    case 'record-result':
    case 'record-annulment': {
      const { status, decidedBy } = step.result;
      const refusal = endRefusal(journal, step.result, step.do === 'record-annulment' ? step : null);
      // The run cannot know what a failover lost, or what another run has received since. People see the refusal.
      const isInStep = !truth.isLineLost && lastNumber(journal) === run.requests.lastNumber;
      if (refusal !== null && journal.result === null && isInStep)
        return `the guard refuses ${status}: ${refusal}`;
      if (refusal !== null) return null;
      const issue = endIssue(
        { result: step.result, evidenceNumber: step.do === 'record-annulment' ? step.evidenceNumber : null },
        {
          ...{ orderSha256: step.result.orderSha256, amount: step.result.amount },
          records: linesOf(journal, before.nowMs),
        },
      );
      if (issue !== null && journal.result === null && isInStep)
        return `the journal's rows do not show ${status}: ${issue}`;
      if (status === 'WITHDRAWN' && truth.sent > 0 && !truth.isLossUnknown)
        return 'WITHDRAWN after a create has left';
      if (status === 'WITHDRAWN' && !truth.isCancelled) return 'WITHDRAWN without a cancel';
      if (decidedBy !== 'bank') return null;
      if (status === 'REFUSED') {
        if (truth.isFound && !truth.isLossUnknown) return 'REFUSED although a look-up found a movement';
        return truth.sent > 1 && !truth.isLossUnknown ? 'REFUSED after more than one create' : null;
      }
      const last = run.bank.lastAnswer;
      if (last?.status !== status || last.echo !== 'match') return `${status} without a matching answer`;
      return truth.ids.length > 1 && !truth.isLossUnknown
        ? `${status} although the movement id changed`
        : null;
    }
    case 'wait':
    case 'await-decision':
    case 'lookup':
    case 'receive':
    case 'withdraw':
    case 'record-flags':
    case 'record-decision':
    case 'end':
      return null;
  }
}

/** Apart from time limits, a run that knows everything in the journal repeats a create only if the guard permits it. */
function deniedRepeat({ run, journal, truth }: World): string | null {
  if (run === null || truth.isLineLost || lastNumber(journal) !== run.requests.lastNumber) return null;
  const refusal = createRefusal(journal, 0);
  return refusal === null ? null : `the guard refuses a create: ${refusal}`;
}

/** The rule that the creates sent so far break; null: none. */
export function brokenBetween(before: World, after: World): string | null {
  const { truth } = after;
  if (truth.sent <= before.truth.sent) return null;
  if (truth.isLossUnknown) return null;
  if (truth.sent > 3) return 'a fourth create has left';
  if (before.truth.isFound) return 'a create has left although a look-up found a movement';
  const isConfirmed = before.truth.notFounds >= 12 || before.truth.isResendDue;
  if ((before.truth.sent > 0 && !isConfirmed) || truth.sent > before.truth.sent + 1)
    return 'a create was repeated without twelve not-founds, or operators';
  if (before.journal.result !== null) return 'a create has left after the end';
  return null;
}

/** The rule that a waiting world breaks; null: none. */
export function brokenIn(world: World): string | null {
  const { run, journal, truth } = world;
  if (truth.ends > 1) return 'two ends';
  if (journal.annulments !== (journal.result?.status === 'FAILED' ? 1 : 0))
    return 'annulment and FAILED differ';
  const next = { kind: 'create', number: lastNumber(journal) + 1 } as const;
  const isConfirmed = truth.notFounds >= 12 || truth.isResendDue;
  const isForbidden =
    !truth.isLineLost && (truth.sent >= 3 || truth.isFound || (truth.sent > 0 && !isConfirmed));
  if (isForbidden && claimRefusal(journal, next, world.nowMs) === null)
    return 'the database would grant a create that the rules forbid';
  if (run === null) return null;
  // Lost rows count as one create, and an open create counts until its answer is read.
  const counted = truth.isLineLost || unreadAnswer(world)?.kind === 'not-sent' ? 1 : 0;
  if (run.sends.count > truth.sent + counted) return 'a create is taken to have left, and none has';
  if (run.stage.name !== 'ended') {
    if (isIdentityDoubted(run.bank.echo) && !isRaised(run.flags, 'ECHO_MISMATCH'))
      return 'a doubt without its flag';
    if (run.bank.echo.isMismatched && !isRaised(run.flags, 'ECHO_MISMATCH'))
      return 'a mismatch without its flag';
    if (openReasons(run.flags).join() !== run.recordedReasons.join() && run.stage.name !== 'receiving')
      return 'a flag that the journal does not know';
  }
  return brokenByRebuilding(world) ?? standsStill(world);
}

/** Enough steps to reach every age at which a transfer is flagged. */
const STEPS_MAX = 60;
const AGE_STEP_MS = settings.attentionAfterActiveMs / 4;

/** Every world reaches an end or a flag, even if the bank never answers or never finds anything. */
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
  if (world.run === null) return writeAll(recover(world) ?? world).worlds.at(-1) ?? world;
  const due = dueStep(pass(world, AGE_STEP_MS));
  if (due === null) return world;
  const reply = due.step.do === 'create' ? ({ kind: 'unknown', error: ERROR } as const) : answer;
  const next = makeRequest(due, reply, 'none') ?? due.world;
  return writeAll(next).worlds.at(-1) ?? next;
}

const ERROR = { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null } as const;
