import { forgetsIds } from '../../src/domain/transfer/echo-state';
import { factsOf } from '../../src/domain/transfer/facts';
import { nextStep } from '../../src/domain/transfer/next-step';
import type { Step } from '../../src/domain/transfer/next-step';
import { withDecisions } from '../../src/domain/transfer/records';
import { takesRepeatAway } from '../../src/domain/transfer/repeat';
import type { TransferState } from '../../src/domain/transfer/state';
import {
  claimRefusal,
  decisionRefusal,
  endRefusal,
  linesOf,
  vouches,
  withClaim,
  withDecision,
  withDoubt,
  withEnd,
  withFlags,
} from './journal-model';
import type { ModelJournal } from './journal-model';
import { ORDER_SHA256, factsIn, dispatch, lastNumber, settings } from './world';
import type { Course, StepTaken, World } from './world';

/** More writes than any correct state needs before it waits. */
const WRITES_MAX = 40;

/** Executes all writes of the run up to its next request, its end, or a wait. */
export function writeAll(start: World): Course {
  const worlds = [start];
  const stepsTaken: StepTaken[] = [];
  for (let world = start; ;) {
    const { run, nowMs } = world;
    if (run === null) return { worlds, stepsTaken };
    const step = nextStep(run, nowMs);
    const next = write(world, step);
    if (next === null) return { worlds, stepsTaken };
    stepsTaken.push({ step, before: world });
    worlds.push(next);
    world = next;
    if (worlds.length > WRITES_MAX) throw new Error(`it writes without end: ${step.do}`);
  }
}

function write(world: World, step: Step): World | null {
  const { run, journal, nowMs: atMs } = world;
  if (run === null) return null;
  const refused = (name: 'record-result' | 'record-decision', reason: string): World =>
    dispatch(world, { kind: 'journal-refused', atMs, step: name, reason, code: 'GR002', madeNumber: null });
  switch (step.do) {
    case 'wait':
    case 'await-decision':
    case 'create':
    case 'lookup':
    case 'end':
      return null;
    case 'receive':
      return receive(world);
    case 'record-flags': {
      const written = { ...world, journal: withFlags(journal, step.reasons, atMs, step.conflict) };
      return dispatch(written, { kind: 'flags-recorded', atMs, reasons: step.reasons });
    }
    case 'record-decision': {
      const { record } = step;
      if (journal.decisions.some(({ id }) => id === record.id))
        return dispatch(world, { kind: 'decision-recorded', atMs, id: record.id });
      if (decisionRefusal(journal, record) !== null)
        return dispatch(world, { kind: 'decision-not-recorded', atMs });
      const ids = forgetsIds(record) ? [] : world.truth.ids;
      const isResend = record.outcome === 'accepted' && record.action === 'resend';
      const isAnother = record.outcome === 'accepted' || takesRepeatAway(record, true);
      const written = {
        ...world,
        journal: withDecision(journal, record, atMs),
        truth: { ...world.truth, ids, isResendDue: isResend || (world.truth.isResendDue && !isAnother) },
      };
      return dispatch(written, { kind: 'decision-recorded', atMs, id: record.id });
    }
    case 'withdraw': {
      if (journal.result !== null)
        return dispatch(world, { kind: 'already-ended', atMs, result: journal.result });
      if (run.sends.isTried === true && !isVouched(world, step.number)) return inDoubt(world);
      const refusal = claimRefusal(journal, { kind: 'withdrawal', number: step.number }, atMs);
      if (refusal === null)
        return dispatch(
          { ...world, journal: withClaim(journal, 'withdrawal', atMs) },
          { kind: 'withdrawal-granted', atMs, number: step.number },
        );
      if (lastNumber(journal) !== step.number - 1) return outOfOrder(world);
      return dispatch(world, { kind: 'withdrawal-too-late', atMs });
    }
    case 'record-result':
    case 'record-annulment': {
      const annulment = step.do === 'record-annulment' ? step : null;
      const result =
        annulment === null
          ? step.result
          : { ...step.result, annulmentId: '00000000-0000-4000-8000-000000000001' };
      if (journal.result !== null) {
        const conflict =
          journal.result.status !== result.status || journal.result.movementId !== result.movementId;
        return dispatch(world, { kind: 'result-recorded', atMs, result: journal.result, conflict });
      }
      const refusal = endRefusal(journal, result, annulment);
      if (refusal !== null) return refused('record-result', refusal);
      const written = {
        ...world,
        journal: withEnd(journal, result),
        truth: { ...world.truth, ends: world.truth.ends + 1 },
      };
      return dispatch(written, { kind: 'result-recorded', atMs, result, conflict: false });
    }
  }
}

function receive(world: World): World {
  const { run, nowMs: atMs } = world;
  if (run === null) return world;
  let { journal } = world;
  if (journal.result !== null)
    return dispatch(world, { kind: 'already-ended', atMs, result: journal.result });
  const { sends: own, requests } = run;
  const isTriedElsewhere =
    own.isTried === true &&
    run.journalId !== world.journalId &&
    !journal.requests.some(({ number }) => number === requests.lastNumber + 1);
  const knowsMore =
    own.count > factsIn(journal, atMs).sends.count ||
    (own.count > 0 && requests.lastNumber > lastNumber(journal)) ||
    isTriedElsewhere;
  if (knowsMore && journal.doubts.length === 0) journal = withDoubt(journal, 'requests-lost', atMs);
  const isNew =
    journal.requests.length + journal.doubts.length + journal.flags.length + journal.decisions.length === 0;
  return dispatch(
    { ...world, journal },
    {
      ...{ kind: 'received', atMs, orderSha256: ORDER_SHA256, amountValue: '1500.25', settings },
      ...{ facts: isNew ? null : factsFor(run, journal, atMs), journalId: world.journalId },
    },
  );
}

/** As in `openTransfer`, unrecorded decisions of the run count as recorded. */
const factsFor = ({ decisions: { unrecorded } }: TransferState, journal: ModelJournal, atMs: number) =>
  unrecorded.length === 0
    ? factsIn(journal, atMs)
    : factsOf(withDecisions(linesOf(journal, atMs), unrecorded));

/** The last number in the journal is not the one that the run knows. */
export const outOfOrder = (world: World): World =>
  dispatch(world, {
    ...{ kind: 'journal-out-of-order', atMs: world.nowMs, lastNumber: lastNumber(world.journal) },
  });

/** As in `vouchForCreate`, a missing claim proves something only in the journal that the run noted. */
export const isVouched = ({ run, journal, journalId }: World, number: number): boolean =>
  vouches(journal, { number, isNoted: run?.journalId === journalId });

/** The create may have left, and the journal has lost its claim. */
export function inDoubt(world: World): World {
  const { journal, nowMs: atMs } = world;
  const doubted = journal.doubts.length > 0 ? journal : withDoubt(journal, 'journal-changed', atMs);
  return dispatch({ ...world, journal: doubted }, { kind: 'create-in-doubt', atMs });
}
