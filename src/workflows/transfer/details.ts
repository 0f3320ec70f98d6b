import type { DecisionAction } from '../../domain/transfer/decisions/decision';
import { REASON_SENTENCES, holdingReasons, isHeld, openReasons } from '../../domain/transfer/flags';
import { mayWithdraw } from '../../domain/transfer/next-step';
import type { Ending, TransferState } from '../../domain/transfer/state';
import { nextRequestDueMs, viewOf } from '../../domain/transfer/view';
import type { DoubtfulAnswer, TransferPhase, TransferView } from '../../domain/transfer/view';
import { clock, code, errorLabel, plain, times } from '../markdown';

const WAITS_FOR: Record<TransferPhase, string> = {
  received: 'the journal, to record the order',
  sending: 'the bank to take the order',
  'looking-up':
    'the bank to report whether it took the order: the outcome of the send is unknown, so the bank is asked by originId',
  polling: 'the final status from the bank, which has the order',
  held: 'an answer of the bank that clears the flag, or a decision. Nothing is sent, nothing becomes final',
  annulling: 'the journal, to record the annulment of a FAILED transfer',
  ended: 'nothing',
};

const WAITS_FOR_PEOPLE = 'a decision. Nothing was sent, so the bank is not asked';

/**
 * The run's current details in the Temporal UI: what the run waits for, since when, what comes next, what an operator
 * may do. Markdown; identifiers, statuses and, for a doubtful answer, amounts. `iso` turns ms into ISO UTC.
 */
export function currentDetails(state: TransferState, iso: (ms: number) => string): string {
  const view = viewOf(state, iso);
  return [
    headline(state, view),
    '',
    `- **waits for** ${waitsFor(state, view)}`,
    ...(view.phase === 'ended' ? [] : [`- **since** ${clock(iso(phaseSinceMs(state, view.phase)))}`]),
    `- **next** ${next(state, view)}; asked ${times(view.polls)}, last ${clock(view.lastPolledAt)}`,
    ...facts(view),
    ...openReasons(state.flags).map(
      (reason) =>
        `- ⚠ \`${reason}\` since ${clock(iso(state.flags[reason] ?? 0))}: ${REASON_SENTENCES[reason]}`,
    ),
    ...(view.phase === 'ended' ? [] : ['', ...options(view, endBeingRecorded(state) !== null)]),
  ].join('\n');
}

function headline({ stage }: TransferState, view: TransferView): string {
  if (stage.name !== 'ended') return `**${view.phase}**`;
  const { status, annulmentId, decidedBy } = stage.result;
  const by = decidedBy === null ? '' : `, decided by ${decidedBy === 'bank' ? 'the bank' : 'two operators'}`;
  return `**${status}**${by}${annulmentId === null ? '' : `, annulment \`${annulmentId}\``}`;
}

/** The known end that is being recorded; a held transfer waits for a person first. */
const endBeingRecorded = ({ stage, flags }: TransferState): Ending | null =>
  stage.name === 'ending' && !isHeld(flags) ? stage : null;

function waitsFor(state: TransferState, view: TransferView): string {
  const { phase } = view;
  const ending = endBeingRecorded(state);
  if (ending !== null) return `the journal, to record ${recordOf(ending)}`;
  if (phase === 'held' && view.nextPollAt === null) return WAITS_FOR_PEOPLE;
  return WAITS_FOR[phase];
}

const recordOf = ({ result: { status } }: Ending): string =>
  status === 'FAILED' ? 'the annulment of a FAILED transfer' : `the result ${status}`;

const IS_RECORDED = 'is recorded, with retries until the journal has it';

function next(state: TransferState, view: TransferView): string {
  const ending = endBeingRecorded(state);
  if (ending !== null) return `${recordOf(ending)} ${IS_RECORDED}`;
  if (state.stage.name === 'receiving') return `the order ${IS_RECORDED}`;
  if (mayWithdraw(state) && !isHeld(state.flags)) return `the withdrawal ${IS_RECORDED}`;
  if (view.nextPollAt !== null) return `request to the bank ${clock(view.nextPollAt)}`;
  return nextRequestDueMs(state) === null ? 'nothing is planned' : 'request to the bank, at once';
}

/** Since when the transfer waits in its phase. */
function phaseSinceMs(state: TransferState, phase: TransferPhase): number {
  const { flags, bank, sends, openedAtMs, requests } = state;
  const ending = endBeingRecorded(state);
  if (ending !== null) return ending.sinceMs ?? requests.lastEndedAtMs ?? openedAtMs;
  // Other flags may be older, but did not hold the transfer.
  if (phase === 'held') return Math.min(...holdingReasons(flags).map((reason) => flags[reason] ?? Infinity));
  if (phase === 'polling') return bank.statusSinceMs ?? openedAtMs;
  return (phase === 'looking-up' ? sends.firstAtMs : null) ?? openedAtMs;
}

function facts(view: TransferView): string[] {
  const last = view.history.at(-1);
  const { sendingStopped, lastError, doubtfulAnswer, journalConflict } = view;
  return [
    `- bank status: ${last === undefined ? 'none yet' : `\`${last.status}\` since ${clock(last.at)}`}`,
    `- movement \`${view.movementId ?? '–'}\`, network id \`${view.networkId ?? '–'}\``,
    ...(sendingStopped === null
      ? []
      : [
          `- ⏸ sending is stopped since ${clock(sendingStopped.at)} by ${plain(sendingStopped.operator)}: ${plain(sendingStopped.reason)}`,
        ]),
    ...(lastError === null ? [] : [`- last request failed: \`${errorLabel(lastError)}\``]),
    ...(doubtfulAnswer === null
      ? []
      : [
          `- last answer \`${doubtfulAnswer.status}\`, echo ${doubtfulAnswer.echo}: ` +
            doubtfulAnswer.fields.map((field) => `\`${field}\``).join(', '),
          `- ${sideBySide(doubtfulAnswer, 'amount')}; ${sideBySide(doubtfulAnswer, 'currency')}`,
        ]),
    ...(view.needsAttention && view.evidenceNumber > 0
      ? [`- evidence: the same answer since request ${view.evidenceNumber}`]
      : []),
    ...(journalConflict === null ? [] : [`- journal conflict: ${code(journalConflict)}`]),
    ...(view.cancelRequested
      ? ['- cancel requested: the bank has no cancel, so the transfer continues if it was already sent']
      : []),
    ...view.proposals.map(
      ({ action, operator, at }) =>
        `- proposed by ${code(operator)}, ${clock(at)}: \`${action}\`, waits for a second operator`,
    ),
  ];
}

const sideBySide = ({ ordered, reported }: DoubtfulAnswer, what: 'amount' | 'currency'): string =>
  `${what} ordered \`${ordered[what]}\`, reported \`${reported[what] ?? '–'}\``;

/** What an operator may do now; with JSON to copy, because later runs of a long transfer have no static details. */
function options(
  { originId, needsAttention, mayDecide, proposals, sends }: TransferView,
  isBeingRecorded: boolean,
): string[] {
  const decide = (action: DecisionAction): string =>
    `- update \`decide\` \`{"originId":${originId},"action":"${action}","operator":"…","reason":"…"}\``;
  const may = [
    ...mayDecide.map(
      ({ action, operators, from, until, says }) =>
        `${decide(action)} (${operators === 1 ? 'one operator' : 'two operators'}${bounds(from, until)}): ${says}`,
    ),
    ...(proposals.length === 0 ? [] : [`${decide('withdraw')} (one operator): end all open proposals`]),
    ...(isBeingRecorded
      ? []
      : [
          '- signal `movementHint` `{"source":"…","eventId":"…"}`: ask the bank as soon as its last status allows',
        ]),
    ...(sends === 0 && !isBeingRecorded
      ? ['- *Request Cancellation*: WITHDRAWN, if nothing was sent by then']
      : []),
  ];
  if (may.length === 0) return ['Nothing has to be done.'];
  return [needsAttention ? 'You may:' : 'Nothing has to be done. You may:', '', ...may];
}

const bounds = (from: string | null, until: string | null): string =>
  (from === null ? '' : `, from ${clock(from)}`) + (until === null ? '' : `, until ${clock(until)}`);
