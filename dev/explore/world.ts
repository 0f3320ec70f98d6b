import { apply } from '../../src/domain/transfer/apply';
import type { CreateAnswer, LookupAnswer } from '../../src/domain/transfer/answers';
import type { DecisionAction } from '../../src/domain/transfer/decisions/decision';
import { judgeDecision } from '../../src/domain/transfer/decisions/judge-decision';
import { forgetsIds } from '../../src/domain/transfer/echo-standing';
import type { TransferEvent } from '../../src/domain/transfer/events';
import { factsOf, mayBeAtBank } from '../../src/domain/transfer/facts';
import { nextStep } from '../../src/domain/transfer/next-step';
import type { Step } from '../../src/domain/transfer/next-step';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { REPEATED_CREATE, REPEATED_LOOKUP } from './answers';
import {
  claimRefusal,
  createRefusal,
  decisionRefusal,
  endRefusal,
  linesOf,
  openedJournal,
  vouches,
  withAnswer,
  withClaim,
  withDecision,
  withDoubt,
  withEnd,
  withFlags,
} from './journal-model';
import type { ModelJournal } from './journal-model';

/** Age flags a transfer in every state alike: it is looked at where nothing else does (`standsStill`). */
export const settings = {
  ...DEFAULT_TRANSFER_SETTINGS,
  attentionAfterActiveMs: 3_650 * 86_400_000,
  attentionAfterDelayedMs: 3_650 * 86_400_000,
};
const ORDER_SHA256 = 'f'.repeat(64);
const STOP = { at: '2026-01-05T10:00:00.000Z', operator: 'ana', reason: 'the bank asked us to' };

/** One transfer, its run, its journal, and what really happened, which neither of them need know. */
export interface World {
  readonly nowMs: number;
  /** Null: no run drives it. */
  readonly run: TransferState | null;
  readonly journal: ModelJournal;
  /** Which PostgreSQL it is; a failover makes it another. */
  readonly journalId: string;
  readonly isSendingStopped: boolean;
  readonly truth: Truth;
}

/** What the invariants are judged by. */
export interface Truth {
  /** Creates that left for the bank. */
  readonly sent: number;
  /** A look-up has found a movement, as somebody of ours heard. */
  readonly isFound: boolean;
  /** Movement ids heard since operators last looked at a mismatch or had it sent again. */
  readonly ids: readonly string[];
  /** Any id was heard; by symmetry the first is always A. */
  readonly isIdHeard: boolean;
  /** Readable not-founds since the last create left. */
  readonly notFounds: number;
  /** Operators had it sent once more, and that has not left yet. */
  readonly isResendDue: boolean;
  /** A failover has taken lines from the journal. */
  readonly isLineLost: boolean;
  /** And then the run was lost too: nobody of ours knows what the journal forgot (`setup --restored` tells it). */
  readonly isUntold: boolean;
  /** Runs that were lost, and look-ups that another one made: so many a story, to keep the search in bounds. */
  readonly lostRuns: number;
  readonly rivals: number;
  /** Ends that were written down. */
  readonly ends: number;
  /** A cancel has come. */
  readonly isCancelled: boolean;
}

const NOTHING_HAPPENED: Truth = {
  sent: 0,
  isFound: false,
  ids: [],
  isIdHeard: false,
  notFounds: 0,
  isResendDue: false,
  isLineLost: false,
  isUntold: false,
  lostRuns: 0,
  rivals: 0,
  ends: 0,
  isCancelled: false,
};

/** A step of the machine, seen from outside: what was wanted, in which world. */
export interface Deed {
  readonly step: Step;
  readonly before: World;
}

/** Worlds in the order in which they came to be: a crash may fall between any two. */
export interface Course {
  readonly worlds: readonly World[];
  readonly deeds: readonly Deed[];
}

export function newWorld(): World {
  const nowMs = 1_000_000;
  const world = {
    ...{ nowMs, run: initialState(4711, nowMs), journal: openedJournal(nowMs), journalId: 'pg-1' },
    ...{ isSendingStopped: false, truth: NOTHING_HAPPENED },
  };
  return happen(world, {
    ...{ kind: 'received', atMs: nowMs, orderSha256: ORDER_SHA256, amountValue: '1500.25', settings },
    ...{ facts: null, journalId: world.journalId },
  });
}

const happen = (world: World, event: TransferEvent): World =>
  world.run === null ? world : { ...world, run: apply(world.run, event) };

/** More writes than any honest state wants before it waits. */
const WRITES_MAX = 40;

/** Everything that is written down before the next request, the end, or a wait. */
export function settleDown(start: World, deeds: readonly Deed[] = []): Course {
  const worlds = [start];
  const done = [...deeds];
  for (let world = start; ;) {
    const { run, nowMs } = world;
    if (run === null) return { worlds, deeds: done };
    const step = nextStep(run, nowMs);
    const next = write(world, step);
    if (next === null) return { worlds, deeds: done };
    done.push({ step, before: world });
    worlds.push(next);
    world = next;
    if (worlds.length > WRITES_MAX) throw new Error(`it writes without end: ${step.do}`);
  }
}

function write(world: World, step: Step): World | null {
  const { run, journal, nowMs: atMs } = world;
  if (run === null) return null;
  const refused = (name: 'record-result' | 'record-decision', reason: string): World =>
    happen(world, { kind: 'journal-refused', atMs, step: name, reason, code: 'GR002', madeNumber: null });
  switch (step.do) {
    case 'wait':
    case 'create':
    case 'lookup':
    case 'end':
      return null;
    case 'receive':
      return receive(world);
    case 'record-flags': {
      const written = { ...world, journal: withFlags(journal, step.reasons, atMs, step.conflict) };
      return happen(written, { kind: 'flags-recorded', atMs, reasons: step.reasons });
    }
    case 'record-decision': {
      const { record } = step;
      if (journal.decisions.some(({ id }) => id === record.id))
        return happen(world, { kind: 'decision-recorded', atMs, id: record.id });
      if (decisionRefusal(journal, record) !== null)
        return happen(world, { kind: 'decision-not-recorded', atMs });
      const ids = forgetsIds(record) ? [] : world.truth.ids;
      const isResend = record.outcome === 'accepted' && record.action === 'resend';
      const written = {
        ...world,
        journal: withDecision(journal, record, atMs),
        truth: { ...world.truth, ids, isResendDue: world.truth.isResendDue || isResend },
      };
      return happen(written, { kind: 'decision-recorded', atMs, id: record.id });
    }
    case 'withdraw': {
      if (journal.result !== null)
        return happen(world, { kind: 'already-ended', atMs, result: journal.result });
      if (run.sends.isTried === true && !isVouched(world, step.number)) {
        const doubted = journal.doubts.length > 0 ? journal : withDoubt(journal, 'journal-changed', atMs);
        return happen({ ...world, journal: doubted }, { kind: 'withdrawal-too-late', atMs });
      }
      const refusal = claimRefusal(journal, { kind: 'withdrawal', number: step.number }, atMs);
      if (refusal === null)
        return happen(
          { ...world, journal: withClaim(journal, 'withdrawal', atMs) },
          { kind: 'withdrawal-granted', atMs, number: step.number },
        );
      if (lastNumber(journal) !== step.number - 1) return outOfOrder(world);
      return happen(world, { kind: 'withdrawal-too-late', atMs });
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
        return happen(world, { kind: 'result-recorded', atMs, result: journal.result, conflict });
      }
      const refusal = endRefusal(journal, result, annulment);
      if (refusal !== null) return refused('record-result', refusal);
      const written = {
        ...world,
        journal: withEnd(journal, result),
        truth: { ...world.truth, ends: world.truth.ends + 1 },
      };
      return happen(written, { kind: 'result-recorded', atMs, result, conflict: false });
    }
  }
}

function receive(world: World): World {
  const { run, nowMs: atMs } = world;
  if (run === null) return world;
  let { journal } = world;
  if (journal.result !== null) return happen(world, { kind: 'already-ended', atMs, result: journal.result });
  const { sends: own, requests } = run;
  const isTriedElsewhere =
    own.isTried === true &&
    run.journalId !== world.journalId &&
    !journal.requests.some(({ number }) => number === requests.lastNumber + 1);
  const knowsMore =
    own.count > sends(journal) ||
    (own.count > 0 && requests.lastNumber > lastNumber(journal)) ||
    isTriedElsewhere;
  if (knowsMore && journal.doubts.length === 0) journal = withDoubt(journal, 'requests-lost', atMs);
  const isNew =
    journal.requests.length + journal.doubts.length + journal.flags.length + journal.decisions.length === 0;
  return happen(
    { ...world, journal },
    {
      ...{ kind: 'received', atMs, orderSha256: ORDER_SHA256, amountValue: '1500.25', settings },
      ...{ facts: isNew ? null : factsOf(linesOf(journal, atMs)), journalId: world.journalId },
    },
  );
}

export const lastNumber = ({ requests }: ModelJournal): number => requests.at(-1)?.number ?? 0;
const sends = (journal: ModelJournal): number => factsOf(linesOf(journal, 0)).sends.count;

const outOfOrder = (world: World): World =>
  happen(world, {
    ...{ kind: 'journal-out-of-order', atMs: world.nowMs, lastNumber: lastNumber(world.journal) },
  });

/** The step that the machine waits to take, at the moment when it is due; null: none. */
export function dueStep(world: World): { readonly step: Step; readonly world: World } | null {
  if (world.run === null) return null;
  const step = nextStep(world.run, world.nowMs);
  if (step.do === 'end') return null;
  if (step.do !== 'wait') return { step, world };
  const due = { ...world, nowMs: step.untilMs };
  const then = nextStep(world.run, step.untilMs);
  return { step: then, world: due };
}

/** How the step of a request goes beside what the bank says. */
export type Fault =
  | 'none'
  /** The worker dies after the request has left: a repeated step finds the claim, and nothing recorded. */
  | 'step-lost'
  /** And PostgreSQL fails over without the claim. */
  | 'claim-lost';

const TOOK_MS = 200;

/** The request that is due is made, or found to be made, or denied. */
export function makeRequest(
  { world, step }: { readonly world: World; readonly step: Step },
  answer: CreateAnswer | LookupAnswer,
  fault: Fault,
): World | null {
  const { run, journal, nowMs } = world;
  if (run === null || (step.do !== 'create' && step.do !== 'lookup')) return null;
  const { number } = step;
  const kind = step.do;
  if (journal.result !== null)
    return happen(world, { kind: 'already-ended', atMs: nowMs, result: journal.result });
  const before = journal.requests.find((line) => line.number === number) ?? null;
  // Another one has made it.
  if (before !== null && before.kind === 'withdrawal')
    return happen(world, { kind: 'withdrawal-granted', atMs: nowMs, number });
  if (before !== null && before.kind !== kind)
    return happen(world, { kind: 'journal-out-of-order', atMs: nowMs, lastNumber: number });
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
    return happen(world, { kind: 'withdrawal-granted', atMs: nowMs, number });
  if (kind === 'create' && createRefusal(journal, nowMs) !== null)
    return happen(world, { kind: 'repeat-denied', atMs: nowMs });
  if (kind === 'create' && world.isSendingStopped)
    return happen(world, { kind: 'held-back', atMs: nowMs, startedAtMs: nowMs, stop: STOP });
  const claimed: World = {
    ...world,
    journal: withClaim(journal, kind, nowMs, settings.resendWindowMs),
    truth: heard(world.truth, kind, fault === 'none' ? answer : null),
  };
  const later = { ...claimed, nowMs: nowMs + TOOK_MS };
  switch (fault) {
    case 'none': {
      const isNews = isTold(journal, kind, answer);
      const recorded = isNews ? withAnswer(later.journal, number, answer, later.nowMs) : later.journal;
      return ended({ ...later, journal: recorded }, kind, number, answer);
    }
    case 'step-lost':
      return ended(later, kind, number, kind === 'create' ? REPEATED_CREATE : REPEATED_LOOKUP);
    case 'claim-lost': {
      const over = { ...failedOver(later), journal, truth: { ...later.truth, isLineLost: true } };
      if (kind === 'lookup') return makeRequest({ world: over, step }, answer, 'none');
      return isVouched(over, number) ? makeRequest({ world: over, step }, answer, 'none') : inDoubt(over);
    }
  }
}

/** A look-up that told the same as the last line has no answer of its own, unless it is final. */
function isTold(
  journal: ModelJournal,
  kind: 'create' | 'lookup',
  answer: CreateAnswer | LookupAnswer,
): boolean {
  if (kind === 'create') return true;
  if ('movement' in answer && (answer.movement.status === 'COMPLETED' || answer.movement.status === 'FAILED'))
    return true;
  const last = journal.requests.findLast((line) => line.answer !== null)?.answer ?? null;
  const isDecidedSince = journal.decisions.some(({ recordId }) => recordId > (last?.recordId ?? 0));
  return last === null || isDecidedSince || JSON.stringify(last.value) !== JSON.stringify(answer);
}

function heard(truth: Truth, kind: 'create' | 'lookup', answer: CreateAnswer | LookupAnswer | null): Truth {
  const left = kind === 'create' && answer?.kind !== 'not-sent';
  const counted: Truth = left
    ? { ...truth, sent: truth.sent + 1, notFounds: 0, isResendDue: false }
    : { ...truth, notFounds: truth.notFounds + (answer?.kind === 'not-found' ? 1 : 0) };
  if (answer === null || !('movement' in answer)) return counted;
  const { movementId: id } = answer.movement;
  return {
    ...counted,
    isIdHeard: truth.isIdHeard || id !== null,
    isFound: truth.isFound || kind === 'lookup',
    ids: id === null || truth.ids.includes(id) ? truth.ids : [...truth.ids, id],
  };
}

function ended(
  world: World,
  kind: 'create' | 'lookup',
  number: number,
  answer: CreateAnswer | LookupAnswer,
): World {
  const atMs = world.nowMs;
  const timing = { atMs, startedAtMs: atMs - TOOK_MS, number, settings, inFlightMs: 0 };
  return happen(
    world,
    kind === 'create'
      ? { ...timing, kind: 'create-ended', answer: answer as CreateAnswer, claimAgeMs: TOOK_MS }
      : { ...timing, kind: 'lookup-ended', answer: answer as LookupAnswer },
  );
}

/** As `vouchForCreate`: a missing claim proves something in the journal that was noted alone. */
const isVouched = ({ run, journal, journalId }: World, number: number): boolean =>
  vouches(journal, { number, isNoted: run?.journalId === journalId });

function inDoubt(world: World): World {
  const { journal, nowMs: atMs } = world;
  const doubted = journal.doubts.length > 0 ? journal : withDoubt(journal, 'journal-changed', atMs);
  return happen({ ...world, journal: doubted }, { kind: 'create-in-doubt', atMs });
}

const failedOver = (world: World): World => ({ ...world, journalId: `${world.journalId}+` });

/** What was lost is known to the run that made it; of another one's request, and without a run, nobody knows. */
const truthAfterLoss = ({ run, journal, truth }: World): Truth => ({
  ...truth,
  isLineLost: true,
  isUntold: truth.isUntold || run === null || run.requests.lastNumber < lastNumber(journal),
});

/** PostgreSQL fails over, and the last line that was written is gone. */
export function loseLastLine(world: World): World | null {
  const { journal } = world;
  if (journal.result !== null || journal.nextRecordId === 1 || world.truth.isLineLost) return null;
  const recordId = journal.nextRecordId - 1;
  const isLast = (line: { readonly recordId: number }): boolean => line.recordId === recordId;
  const lost: ModelJournal = {
    ...journal,
    nextRecordId: recordId,
    requests: journal.requests.map((line) =>
      line.answer !== null && isLast(line.answer) ? { ...line, answer: null } : line,
    ),
    decisions: journal.decisions.filter((line) => !isLast(line)),
    flags: journal.flags.filter((line) => !isLast(line)),
    doubts: journal.doubts.filter((line) => !isLast(line)),
  };
  return { ...failedOver(world), journal: lost, truth: truthAfterLoss(world) };
}

/** PostgreSQL fails over, and the last request is gone, with its answer and what was written after it. */
export function loseLastRequest(world: World): World | null {
  const { journal } = world;
  const last = journal.requests.at(-1);
  if (journal.result !== null || last === undefined || world.truth.isLineLost) return null;
  const since = last.answer?.recordId ?? journal.nextRecordId;
  const isKept = (line: { readonly recordId: number }): boolean => line.recordId < since;
  const lost: ModelJournal = {
    ...journal,
    requests: journal.requests.slice(0, -1),
    decisions: journal.decisions.filter(isKept),
    flags: journal.flags.filter(isKept),
    doubts: journal.doubts.filter(isKept),
  };
  return { ...failedOver(world), journal: lost, truth: truthAfterLoss(world) };
}

/** The run is gone: terminated, deleted, forgotten. */
export const loseRun = (world: World): World => ({
  ...world,
  run: null,
  truth: {
    ...world.truth,
    isUntold: world.truth.isUntold || world.truth.isLineLost,
    lostRuns: world.truth.lostRuns + 1,
  },
});

/** Recovery starts a run, which reads the journal. */
export function recover(world: World): World | null {
  const { journal, nowMs } = world;
  if (world.run !== null || journal.result !== null) return null;
  return { ...world, nowMs: nowMs + 60_000, run: initialState(4711, nowMs + 60_000) };
}

/** Another worker, or a reconciliation where no run is, makes the next look-up. */
export function rivalLookup(world: World, answer: LookupAnswer): World | null {
  const { journal, nowMs } = world;
  if (world.truth.rivals > 0) return null;
  const number = lastNumber(journal) + 1;
  if (claimRefusal(journal, { kind: 'lookup', number }, nowMs) !== null) return null;
  // A reconciliation asks where a create may have left; a second worker of the run asks what the run would.
  if (world.run === null && !mayBeAtBank(factsOf(linesOf(journal, nowMs)))) return null;
  if (world.run !== null && nextStep(world.run, Number.MAX_SAFE_INTEGER / 2).do !== 'lookup') return null;
  // After lines were lost its number may be one that the run has used: the run believes what it heard itself.
  if (world.run !== null && world.truth.isLineLost) return null;
  const claimed = withClaim(journal, 'lookup', nowMs);
  return {
    ...world,
    journal: isTold(journal, 'lookup', answer) ? withAnswer(claimed, number, answer, nowMs) : claimed,
    truth: { ...heard(world.truth, 'lookup', answer), rivals: 1 },
  };
}

/** An operator decides; null: it is refused, or the same as before. */
export function decide(world: World, action: DecisionAction, operator: string): World | null {
  const { run, nowMs: atMs } = world;
  if (run === null) return null;
  const judged = judgeDecision(run, { action, operator, reason: 'letter' }, atMs);
  if (judged.kind !== 'decided') return null;
  const id = `run/${world.journal.nextRecordId}/${world.journal.decisions.length}/${operator}`;
  return happen(world, { kind: 'decided', atMs, record: { ...judged.record, id } });
}

export const hint = (world: World): World | null =>
  world.run === null || world.run.hintedAtMs !== null
    ? null
    : happen(world, { kind: 'hinted', atMs: world.nowMs });

/** The create leaves, the journal is away through all tries to write that down, and a failover loses its claim. */
export function leaveAndForget(world: World): World | null {
  const due = dueStep(world);
  if (due === null || due.step.do !== 'create' || world.truth.isLineLost || world.isSendingStopped)
    return null;
  const { journal, nowMs } = due.world;
  if (claimRefusal(journal, { kind: 'create', number: due.step.number }, nowMs) !== null) return null;
  const truth = { ...heard(due.world.truth, 'create', null), isLineLost: true };
  return happen({ ...failedOver(due.world), truth }, { kind: 'step-gave-up', atMs: nowMs });
}

/** The journal was away through all tries of a create: the run notes that, and tries again. */
export function giveUp(world: World): World | null {
  const due = dueStep(world);
  return due?.step.do === 'create' && world.run?.sends.isTried !== true
    ? happen(due.world, { kind: 'step-gave-up', atMs: due.world.nowMs })
    : null;
}

export function cancel(world: World): World | null {
  if (world.run === null || world.run.cancelRequestedAtMs !== null) return null;
  const truth = { ...world.truth, isCancelled: true };
  return happen({ ...world, truth }, { kind: 'cancel-requested', atMs: world.nowMs });
}

/** Nothing happens for so long: no worker is there. */
export const pass = (world: World, ms: number): World => ({ ...world, nowMs: world.nowMs + ms });

/** Turned where a create may leave next: elsewhere it changes nothing. */
export const turnBrake = (world: World): World | null =>
  world.run === null || dueStep(world)?.step.do === 'create'
    ? { ...world, isSendingStopped: !world.isSendingStopped }
    : null;
