import { lastMovement } from '../../src/domain/transfer/decisions/decision-table';
import { evidenceNumberOf } from '../../src/domain/transfer/evidence';
import { standingHolds } from '../../src/domain/transfer/facts';
import type { BankFacts } from '../../src/domain/transfer/facts';
import { openReasons } from '../../src/domain/transfer/flags';
import { SENDS_MAX } from '../../src/domain/transfer/repeat';
import type { TransferState } from '../../src/domain/transfer/state';
import { createRefusal, hasTwoMovements, isInFlight } from './journal-model';
import type { ModelJournal } from './journal-model';
import { factsIn, lastNumber, settings, unansweredLine, unreadAnswer } from './world';
import type { World } from './world';

/**
 * Equal for worlds with the same future: no event and no rule distinguishes them. What the key leaves out, and why that
 * hides nothing:
 *
 * - Times. Every gap ends by itself, so the next request is always due. The key holds only which time limits are over.
 * - Counts below twelve. The alphabet has single look-ups and twelve in a row, and no trace is long enough for twelve
 *   single ones.
 * - Why a request failed, how often it was surely not sent, hints and answers 401. They only set a pause, or a flag
 *   that neither holds the transfer nor permits a decision.
 * - What only readers see: history, polls, texts, the networks' ids.
 * - Names. Of two movements, and of two operators, only the order of their first mention counts.
 *
 * `test/explore/state-key.test.ts` applies every event to worlds with one key, and compares the keys afterwards.
 */
export function keyOf(world: World): string {
  const { run, journal, truth } = world;
  if (journal.result !== null && (run === null || run.stage.name === 'ended')) return endKey(world);
  if (truth.isLossUnknown && run === null) return inOrderOfNaming(`loss-unknown|${journalKey(journal)}`);
  const key = `${run === null ? '' : runKey(run, world)}|${journalKey(journal)}|${clockKey(world)}|${truthKey(world)}`;
  return inOrderOfNaming(key);
}

/** The key of an ended transfer: no event follows. */
const endKey = ({ run, journal, truth }: World): string =>
  `end ${run === null ? '' : run.sends.count > truth.sent} ${journal.result?.status} ${journal.annulments} ${truth.ends}`;

/** Placeholders for names in a key, one character each. */
const MOVEMENTS = ['\u0001', '\u0002'] as const;
const OPERATORS = ['\u0003', '\u0004'] as const;
const NAMES: Readonly<Record<string, string>> = {
  ...{ A: MOVEMENTS[0], B: MOVEMENTS[1] },
  ...{ ana: OPERATORS[0], luis: OPERATORS[1] },
};
const nameOf = (name: string | null): string => (name === null ? '-' : (NAMES[name] ?? name));

const inOrderOfNaming = (key: string): string => swapped(swapped(key, MOVEMENTS), OPERATORS);

/** The name that occurs first in the key gets the first placeholder. */
function swapped(key: string, [first, second]: readonly [string, string]): string {
  const at = key.indexOf(second);
  if (at === -1) return key;
  const before = key.indexOf(first);
  if (before !== -1 && before < at) return key;
  return key.replaceAll(first, '\u0000').replaceAll(second, first).replaceAll('\u0000', second);
}

const bit = (is: boolean): string => (is ? '1' : '0');

function runKey(run: TransferState, world: World): string {
  const { journal, journalId, truth } = world;
  const late = unreadAnswer(world);
  const { stage, sends, bank, decisions, conflict } = run;
  const ahead = run.requests.lastNumber - lastNumber(journal);
  const told = lastMovement(run);
  return [
    'result' in stage ? `${stage.name} ${stage.result.status} ${stage.result.decidedBy}` : stage.name,
    flagsKey(openReasons(run.flags)),
    flagsKey(run.recordedReasons),
    conflict === null ? '-' : `${conflict.cause}${bit(conflict.isUnexplained)}`,
    // The size of the difference does not matter: the next claim is refused, and the journal is read again.
    Math.sign(ahead),
    sends.count,
    bit(sends.refusal !== null) +
      bit(sends.mayRepeat) +
      bit(sends.isCountKnown !== false) +
      bit(sends.isTried === true) +
      bit(run.journalId === journalId) +
      bit(isAnswerAwaited(world)),
    late === null ? '' : answerKey(late),
    bankKey(bank),
    // The number itself does not matter, only whether run and journal agree on it.
    bit(truth.isLineLost || ahead < 0 || evidenceNumberOf(bank) === evidenceNumberOf(factsIn(journal, 0))),
    told === null ? bit(bank.lastNotFound !== null) : answerKey({ kind: 'movement', movement: told }),
    bit(bank.notFoundRun >= 12),
    // The transfer may be withdrawn only if no create has left.
    sends.count > 0 ? '' : bit(run.cancelRequestedAtMs !== null) + bit(run.withdrawalDenied),
    decisions.proposals.map(({ action, operator }) => `${action} ${nameOf(operator)}`).join(),
    decisions.unrecorded
      .map(
        (line) => `${line.outcome} ${line.action} ${line.operators.map(nameOf).join()} ${line.flags.join()}`,
      )
      .join(),
    // Requests of another worker, of which the run will learn.
    ahead >= 0
      ? ''
      : journal.requests
          .filter(({ number }) => number > run.requests.lastNumber)
          .map(({ kind, answer }) => `${kind} ${answer === null ? '-' : answerKey(answer.value)}`)
          .join(),
  ].join(' ');
}

/** An answer that is recorded late would be read by the run. */
function isAnswerAwaited(world: World): boolean {
  const line = unansweredLine(world);
  const { isLookupLost, rivals } = world.truth;
  return line?.answer === null && (line.kind === 'create' || (isLookupLost && rivals === 0));
}

type Answer = NonNullable<ModelJournal['requests'][number]['answer']>['value'];

function answerKey(answer: Answer): string {
  if (!('movement' in answer)) return answer.kind;
  const { status, movementId, echo, echoFields } = answer.movement;
  return `${status}${nameOf(movementId)}${echo}${echoFields.join()}`;
}

/** Refused credentials (401) only raise a flag. */
const flagsKey = (reasons: readonly string[]): string =>
  reasons.filter((reason) => reason !== 'BANK_UNAUTHORIZED').join();

const bankKey = ({
  status,
  lastStatus,
  movementId,
  echo,
  foundByLookup,
}: BankFacts | TransferState['bank']): string =>
  `${status} ${lastStatus} ${nameOf(movementId)} ${echo.movementIds.map(nameOf).join('')} ${bit(echo.isOtherOrigin)}${bit(echo.isMismatched)}${bit(foundByLookup)}`;

const journalKeys = new WeakMap<ModelJournal, string>();

/** What `factsOf`, the guards and a rebuilt run read from the rows. */
function journalKey(journal: ModelJournal): string {
  const known = journalKeys.get(journal);
  if (known !== undefined) return known;
  const key = newJournalKey(journal);
  journalKeys.set(journal, key);
  return key;
}

function newJournalKey(journal: ModelJournal): string {
  const { sends, bank, openFlags, conflict, proposals, acceptance } = factsIn(journal, 0);
  const { requests, decisions, flags, doubts } = journal;
  let isCompleted = false;
  let isRefused = false;
  let isKnown = false;
  for (const { answer } of requests) {
    if (answer === null) continue;
    const { value } = answer;
    if (value.kind === 'refused') isRefused = true;
    if (!('movement' in value)) continue;
    if (value.kind === 'movement' || value.movement.echo !== 'mismatch') isKnown = true;
    if (value.movement.echo === 'match' && value.movement.status === 'COMPLETED') isCompleted = true;
  }
  const last = decisions.at(-1);
  return [
    journal.result === null
      ? ''
      : `${journal.result.status} ${journal.result.decidedBy} ${journal.annulments}`,
    bit(requests.length + doubts.length + flags.length + decisions.length === 0),
    bit(requests.at(-1)?.kind === 'withdrawal') +
      bit(requests.at(-1)?.kind === 'create' && requests.at(-1)?.answer === null),
    sends.count,
    bit(sends.refusal !== null) + bit(sends.mayRepeat) + bit(sends.isCountKnown !== false),
    bankKey(bank),
    flagsKey(openFlags.map(({ reason, isUnwritten }) => `${reason}${isUnwritten === true ? '!' : ''}`)),
    flagsKey(standingHolds(journal).map(({ reason }) => reason)),
    bit(conflict !== null),
    last?.outcome === 'accepted' ? `${last.action} ${last.operators.map(nameOf).join()}` : '',
    acceptance === null ? '' : flagsKey(acceptance.flags),
    proposals.map(({ action, operator }) => `${action} ${nameOf(operator)}`).join(),
    createRefusal(journal, 0) ?? '',
    bit(hasTwoMovements(journal)) + bit(isCompleted) + bit(isRefused) + bit(isKnown),
  ].join(' ');
}

/** Which time limits are over, as far as a create or a decision depends on them. */
function clockKey({ run, journal, nowMs, isSendingStopped }: World): string {
  const { sends, bank } = run ?? factsIn(journal, nowMs);
  const isOver = (ms: number | null, limitMs: number) => ms !== null && nowMs - ms >= limitMs;
  const isDayOver = isOver(sends.lastAtMs, 86_400_000);
  // No create leaves after a look-up has found the movement, or after three creates.
  const maySend = !bank.foundByLookup && sends.count < SENDS_MAX && sends.isCountKnown !== false;
  return [
    maySend
      ? bit(isOver(sends.firstAtMs, settings.resendWindowMs)) +
        bit(isSendingStopped) +
        bit(isInFlight(journal, nowMs))
      : '',
    bit(isDayOver),
    isDayOver && run !== null && lastMovement(run) === null
      ? bit(isOver(run.bank.lastNotFound?.atMs ?? null, settings.pollDelayedMs))
      : '',
  ].join(' ');
}

function truthKey({ truth, journal }: World): string {
  const last = journal.requests.at(-1);
  const open = last?.kind === 'create' && last.answer === null ? truth.ifUnsent : null;
  // Only an unsent transfer can be withdrawn.
  const mayBeUnsent = truth.sent <= (open === null ? 0 : 1);
  return [
    Math.min(truth.sent, SENDS_MAX + 1),
    truth.ids.length > 1 ? '2' : nameOf(truth.ids[0] ?? null),
    bit(truth.isFound) +
      bit(truth.notFounds >= 12) +
      bit(truth.isResendDue) +
      bit(truth.isLineLost) +
      bit(truth.isDecisionLost) +
      bit(truth.isLossUnknown) +
      bit(truth.isLookupLost && truth.rivals === 0) +
      bit(mayBeUnsent && truth.isCancelled),
    open === null ? '' : bit(open.notFounds >= 12) + bit(open.isResendDue),
    truth.lostRuns,
    truth.rivals,
    truth.ends,
  ].join(' ');
}
