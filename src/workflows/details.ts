import type { AttentionReason } from '../domain/transfer/flags';
import type { TransferView } from '../domain/transfer/view';

/** What an operator is told of each flag. */
const SENTENCES: Record<AttentionReason, string> = {
  JOURNAL_CONFLICT:
    'The journal holds something else than this run knows. Nothing is sent or ended until a person looked.',
  ECHO_MISMATCH:
    'The bank answers with a movement that differs from the order. It is never final while that stands.',
  ECHO_INCOMPLETE: 'The bank says a final word without the fields that tie it to the order.',
  VANISHED: 'The bank knew the movement and does not find it any more. It is not sent again.',
  OUTCOME_UNKNOWN: 'It is not known whether the bank took the order. It is looked up until the bank tells.',
  STATUS_UNKNOWN: 'The bank uses a status word that is not in its reference. It is asked on.',
  BANK_UNAUTHORIZED: 'The bank refuses our credentials, again and again.',
  OPEN_TOO_LONG: 'Open for longer than expected in this status. It goes on.',
};

const WAITING: Record<TransferView['phase'], string> = {
  received: 'The order is being written into the journal.',
  sending: 'The order is being sent to the bank.',
  'looking-up': 'The answer to the order was unclear: the bank is asked for it by originId.',
  polling: 'The bank has the order and is asked until it is final.',
  held: 'Held: the bank is asked at the slow cadence, nothing is sent, nothing becomes final.',
  annulling: 'The bank said FAILED: the annulment is being recorded.',
  ended: 'Ended.',
};

/** The run's current details in the Temporal UI: what it waits for, since when, what comes next. Markdown. */
export function currentDetails(view: TransferView): string {
  const last = view.history.at(-1);
  return [
    `**${view.phase}** – ${WAITING[view.phase]}`,
    '',
    `- bank status: ${last === undefined ? 'none yet' : `\`${last.status}\` since ${last.at}`}`,
    `- movement \`${view.movementId ?? '–'}\`, network id \`${view.networkId ?? '–'}\``,
    `- asked ${view.polls} times, last ${view.lastPolledAt ?? 'never'}, next ${view.nextPollAt ?? 'not planned'}`,
    ...(view.lastError === null ? [] : [`- last request failed: \`${errorWord(view.lastError)}\``]),
    ...(view.doubtfulAnswer === null
      ? []
      : [
          `- last answer \`${view.doubtfulAnswer.status}\`, echo ${view.doubtfulAnswer.echo}: ` +
            view.doubtfulAnswer.fields.map((field) => `\`${field}\``).join(', '),
        ]),
    ...(view.cancelRequested ? ['- cancel requested: the bank has no cancel, so it goes on once sent'] : []),
    ...view.attentionReasons.map((reason) => `- ⚠ \`${reason}\`: ${SENTENCES[reason]}`),
  ].join('\n');
}

function errorWord({ code, httpStatus }: NonNullable<TransferView['lastError']>): string {
  return httpStatus === null ? code : `${code} ${httpStatus}`;
}
