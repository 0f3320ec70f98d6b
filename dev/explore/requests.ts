import { isFinalStatus } from '../../src/domain/movement';
import type { CreateAnswer, LookupAnswer } from '../../src/domain/transfer/answers';
import { CLAIM_ANSWER_MS } from '../../src/domain/transfer/cadence';
import { mayBeAtBank } from '../../src/domain/transfer/facts';
import { nextStep } from '../../src/domain/transfer/next-step';
import type { Step } from '../../src/domain/transfer/next-step';
import { REPEATED_CREATE, REPEATED_LOOKUP } from './answers';
import { claimRefusal, createRefusal, withAnswer, withClaim } from './journal-model';
import type { ModelJournal } from './journal-model';
import { failedOver } from './losses';
import { factsIn, dispatch, lastNumber, settings, unansweredLine } from './world';
import type { Truth, World } from './world';
import { inDoubt, isVouched, outOfOrder } from './writes';

const STOP = { at: '2026-01-05T10:00:00.000Z', operator: 'ana', reason: 'the bank asked us to' };

/** The machine's next step, and the world at the time when the step is due; null: none. */
export function dueStep(world: World): { readonly step: Step; readonly world: World } | null {
  if (world.run === null) return null;
  const step = nextStep(world.run, world.nowMs);
  if (step.do === 'end' || step.do === 'await-decision') return null;
  if (step.do !== 'wait') return { step, world };
  const due = { ...world, nowMs: step.untilMs };
  const then = nextStep(world.run, step.untilMs);
  return { step: then, world: due };
}

/** The fault of a request's step. */
export type Fault =
  | 'none'
  /** The worker dies after the request has left: a repeated step finds the claim and no answer. */
  | 'step-lost'
  /** In addition, PostgreSQL fails over and loses the claim. */
  | 'claim-lost';

const TOOK_MS = 200;
/** Longest time that a create may be in flight. */
const IN_FLIGHT_MS = settings.createTimeoutMs + CLAIM_ANSWER_MS;

/** The world after the step of the due request: the request is made, was made before, or is denied. */
export function makeRequest(
  { world, step }: { readonly world: World; readonly step: Step },
  answer: CreateAnswer | LookupAnswer,
  fault: Fault,
): World | null {
  const { run, journal, nowMs } = world;
  if (run === null || (step.do !== 'create' && step.do !== 'lookup')) return null;
  const { number } = step;
  const kind = step.do;
  const unanswered = unansweredLine(world);
  if (kind === 'lookup' && unanswered?.answer != null && unanswered.kind !== 'withdrawal')
    return ended(world, unanswered.kind, number - 1, unanswered.answer.value);
  if (journal.result !== null)
    return dispatch(world, { kind: 'already-ended', atMs: nowMs, result: journal.result });
  const before = journal.requests.find((line) => line.number === number) ?? null;
  // Another worker has made the request.
  if (before !== null && before.kind === 'withdrawal')
    return dispatch(world, { kind: 'withdrawal-granted', atMs: nowMs, number });
  if (before !== null && before.kind !== kind)
    return dispatch(world, { kind: 'journal-out-of-order', atMs: nowMs, lastNumber: number });
  if (before !== null)
    return ended(
      world,
      kind,
      number,
      before.answer?.value ?? (kind === 'create' ? REPEATED_CREATE : REPEATED_LOOKUP),
    );
  if (kind === 'create' && run.sends.isTried === true && !isVouched(world, number)) return inDoubt(world);
  if (lastNumber(journal) !== number - 1) return outOfOrder(world);
  if (journal.requests.at(-1)?.kind === 'withdrawal')
    return dispatch(world, { kind: 'withdrawal-granted', atMs: nowMs, number });
  if (kind === 'create' && createRefusal(journal, nowMs) !== null) {
    const { refusal } = factsIn(journal, nowMs).sends;
    return dispatch(world, { kind: 'repeat-denied', atMs: nowMs, ...(refusal === null ? {} : { refusal }) });
  }
  if (kind === 'create' && world.isSendingStopped)
    return dispatch(world, { kind: 'held-back', atMs: nowMs, startedAtMs: nowMs, stop: STOP });
  const { resendWindowMs } = settings;
  const claimed: World = {
    ...world,
    journal: withClaim(journal, kind, nowMs, { resendWindowMs, inFlightMs: IN_FLIGHT_MS }),
    truth: truthAfter(world.truth, kind, fault === 'none' ? answer : null),
  };
  const later = { ...claimed, nowMs: nowMs + TOOK_MS };
  switch (fault) {
    case 'none': {
      const isNews = isRecorded(journal, kind, answer);
      const recorded = isNews ? withAnswer(later.journal, number, answer, later.nowMs) : later.journal;
      return ended({ ...later, journal: recorded }, kind, number, answer);
    }
    case 'step-lost':
      return kind === 'create'
        ? ended(later, kind, number, REPEATED_CREATE, IN_FLIGHT_MS - TOOK_MS)
        : ended(withLookupLost(later), kind, number, REPEATED_LOOKUP);
    case 'claim-lost': {
      const over = { ...failedOver(later), journal, truth: { ...later.truth, isLineLost: true } };
      if (kind === 'lookup') return makeRequest({ world: over, step }, answer, 'none');
      return isVouched(over, number) ? makeRequest({ world: over, step }, answer, 'none') : inDoubt(over);
    }
  }
}

/** A look-up with the same answer as the last row has no recorded answer, unless the answer is final. */
function isRecorded(
  journal: ModelJournal,
  kind: 'create' | 'lookup',
  answer: CreateAnswer | LookupAnswer,
): boolean {
  if (kind === 'create') return true;
  if ('movement' in answer && isFinalStatus(answer.movement.status)) return true;
  const last = journal.requests.findLast((line) => line.answer !== null)?.answer ?? null;
  const isDecidedSince = journal.decisions.some(({ recordId }) => recordId > (last?.recordId ?? 0));
  return last === null || isDecidedSince || last.value !== answer;
}

function truthAfter(
  truth: Truth,
  kind: 'create' | 'lookup',
  answer: CreateAnswer | LookupAnswer | null,
): Truth {
  const left = kind === 'create' && answer?.kind !== 'not-sent';
  const { notFounds, isResendDue } = truth;
  const before: Truth = {
    ...{ ...truth, isLookupLost: false },
    ifUnsent: kind === 'create' && answer === null ? { notFounds, isResendDue } : null,
  };
  const counted: Truth = left
    ? { ...before, sent: truth.sent + 1, notFounds: 0, isResendDue: false }
    : { ...before, notFounds: truth.notFounds + (answer?.kind === 'not-found' ? 1 : 0) };
  if (answer === null || !('movement' in answer)) return counted;
  const { movementId: id } = answer.movement;
  return {
    ...counted,
    isIdReceived: truth.isIdReceived || id !== null,
    isFound: truth.isFound || kind === 'lookup',
    ids: id === null || truth.ids.includes(id) ? truth.ids : [...truth.ids, id],
  };
}

function ended(
  world: World,
  kind: 'create' | 'lookup',
  number: number,
  answer: CreateAnswer | LookupAnswer,
  inFlightMs = 0,
): World {
  const atMs = world.nowMs;
  const timing = { atMs, startedAtMs: atMs - TOOK_MS, number, settings, inFlightMs };
  return dispatch(
    world,
    kind === 'create'
      ? { ...timing, kind: 'create-ended', answer: answer as CreateAnswer, claimAgeMs: TOOK_MS }
      : { ...timing, kind: 'lookup-ended', answer: answer as LookupAnswer },
  );
}

const withLookupLost = (world: World): World => ({
  ...world,
  truth: { ...world.truth, isLookupLost: true },
});

/** The look-up of a lost run or a lost step is answered after all, and a run has read the journal meanwhile. */
export function answerLookupLate(world: World, answer: LookupAnswer): World | null {
  const { journal, truth, nowMs } = world;
  const line = journal.requests.at(-1);
  if (line?.kind !== 'lookup' || line.answer !== null || unansweredLine(world) !== line) return null;
  if (!truth.isLookupLost || truth.rivals > 0) return null;
  return {
    ...world,
    journal: withAnswer(journal, line.number, answer, nowMs),
    truth: { ...truthAfter(truth, 'lookup', answer), rivals: 1 },
  };
}

/** The create of a lost run or a lost step is answered after all; a run may have read the journal meanwhile. */
export function answerLate(world: World, answer: CreateAnswer): World | null {
  const { run, journal, truth, nowMs } = world;
  const line = journal.requests.at(-1);
  if (line?.kind !== 'create' || line.answer !== null) return null;
  if (run !== null && unansweredLine(world) !== line) return null;
  return {
    ...world,
    journal: withAnswer(journal, line.number, answer, nowMs),
    // It was counted when it left.
    truth: {
      ...truthAfter(truth, 'create', answer),
      ...(answer.kind === 'not-sent' ? { ...truth.ifUnsent, sent: truth.sent - 1 } : { sent: truth.sent }),
    },
  };
}

/** A second worker of the run asks when the run would; a reconciliation asks only if a create may have been sent. */
function whenLookupIsDue(world: World): World | null {
  const { run, journal, nowMs } = world;
  if (run !== null) {
    const due = dueStep(world);
    return due?.step.do === 'lookup' ? due.world : null;
  }
  if (!mayBeAtBank(factsIn(journal, nowMs))) return null;
  return journal.requests.at(-1)?.answer === null ? { ...world, nowMs: nowMs + IN_FLIGHT_MS } : world;
}

/** The next look-up is made by another worker or, without a run, by a reconciliation. */
export function rivalLookup(before: World, answer: LookupAnswer): World | null {
  if (before.truth.rivals > 0) return null;
  const world = whenLookupIsDue(before);
  if (world === null) return null;
  const { journal, nowMs } = world;
  const number = lastNumber(journal) + 1;
  if (claimRefusal(journal, { kind: 'lookup', number }, nowMs) !== null) return null;
  // After a loss of rows, the run may have used this number already; the run then keeps the answer that it received.
  if (world.run !== null && world.truth.isLineLost) return null;
  const claimed = withClaim(journal, 'lookup', nowMs);
  return {
    ...world,
    journal: isRecorded(journal, 'lookup', answer) ? withAnswer(claimed, number, answer, nowMs) : claimed,
    truth: { ...truthAfter(world.truth, 'lookup', answer), rivals: 1 },
  };
}

/**
 * The create leaves, the journal is unreachable during all tries to record the outcome, and a failover loses the claim.
 */
export function leaveAndForget(world: World): World | null {
  const due = dueStep(world);
  if (due === null || due.step.do !== 'create' || world.truth.isLineLost || world.isSendingStopped)
    return null;
  const { journal, nowMs } = due.world;
  if (claimRefusal(journal, { kind: 'create', number: due.step.number }, nowMs) !== null) return null;
  const truth = { ...truthAfter(due.world.truth, 'create', null), isLineLost: true };
  return dispatch({ ...failedOver(due.world), truth }, { kind: 'step-gave-up', atMs: nowMs });
}

/** The journal was unreachable during all tries of a create. The run notes that and tries again. */
export function giveUp(world: World): World | null {
  const due = dueStep(world);
  return due?.step.do === 'create' && world.run?.sends.isTried !== true
    ? dispatch(due.world, { kind: 'step-gave-up', atMs: due.world.nowMs })
    : null;
}
