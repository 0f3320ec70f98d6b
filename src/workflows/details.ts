import { REASON_SENTENCES } from '../domain/transfer/flags';
import type { TransferView } from '../domain/transfer/view';

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
    ...(view.sendingStopped === null ? [] : [`- ⏸ ${stopSentence(view.sendingStopped)}`]),
    ...(view.lastError === null ? [] : [`- last request failed: \`${errorWord(view.lastError)}\``]),
    ...(view.doubtfulAnswer === null
      ? []
      : [
          `- last answer \`${view.doubtfulAnswer.status}\`, echo ${view.doubtfulAnswer.echo}: ` +
            view.doubtfulAnswer.fields.map((field) => `\`${field}\``).join(', '),
        ]),
    ...(view.cancelRequested ? ['- cancel requested: the bank has no cancel, so it goes on once sent'] : []),
    ...view.proposals.map(
      ({ action, operator, at }) =>
        `- proposed by ${code(operator)} at ${at}: \`${action}\`, waits for a second operator`,
    ),
    ...view.attentionReasons.map((reason) => `- ⚠ \`${reason}\`: ${REASON_SENTENCES[reason]}`),
    ...(view.mayDecide.length === 0 ? [] : ['', 'What may be decided, by update `decide`:', '']),
    ...view.mayDecide.map(
      ({ action, operators, from, until, says }) =>
        `- \`${action}\` (${operators === 1 ? 'one operator' : 'two operators'}${bounds(from, until)}): ${says}`,
    ),
  ].join('\n');
}

/** People's words: letters and signs that Markdown would take for its own are left out. */
function stopSentence({ at, operator, reason }: NonNullable<TransferView['sendingStopped']>): string {
  const plain = (text: string) => text.replace(/[^\p{L}\p{N} .,:;()/+-]/gu, ' ');
  return `sending is stopped since ${at} by ${plain(operator)}: ${plain(reason)}`;
}

function errorWord({ code, httpStatus }: NonNullable<TransferView['lastError']>): string {
  return httpStatus === null ? code : `${code} ${httpStatus}`;
}

const bounds = (from: string | null, until: string | null): string =>
  (from === null ? '' : `, from ${from}`) + (until === null ? '' : `, until ${until}`);

/** A name as any client may have written it. */
const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
