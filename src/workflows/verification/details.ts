import type { VerificationReason } from '../../domain/verification/flags';
import type { VerificationView } from '../../domain/verification/view';

/** What an operator is told of each flag. */
const SENTENCES: Record<VerificationReason, string> = {
  ECHO_MISMATCH: 'The bank answers with another verification request. Nothing in such an answer counts.',
  ECHO_INCOMPLETE: 'The bank says a final word without the requestId that it is about. It ends nothing.',
  STATUS_LEFT_FINAL:
    'The bank told a word that means approved or rejected, and then another one. Ask the bank.',
  STATUS_UNKNOWN:
    'The bank uses a word that KYC_STATUS_MAP does not have. It is no outcome until it is mapped.',
  REQUEST_NOT_FOUND: 'The bank knows no request with this id. It is asked on.',
  BANK_UNAUTHORIZED: 'The bank refuses our credentials, again and again.',
  NO_ANSWER: 'The bank has given no readable answer for a while. It is asked on.',
  OPEN_TOO_LONG: 'In this status for longer than expected. It goes on.',
};

/** The run's current details in the Temporal UI: what it waits for, since when, what comes next. Markdown. */
export function verificationDetails(view: VerificationView): string {
  const last = view.history.at(-1);
  return [
    view.outcome === null
      ? '**tracking** – the bank is asked until it says a final word.'
      : `**${view.outcome}**`,
    '',
    `- bank status: ${last === undefined ? 'none yet' : `\`${last.status}\` since ${last.at}`}`,
    `- asked ${view.polls} times, last ${view.lastPolledAt ?? 'never'}, next ${view.nextPollAt ?? 'not planned'}`,
    ...(view.lastError === null ? [] : [`- last request failed: \`${errorWord(view.lastError)}\``]),
    ...view.attentionReasons.map((reason) => `- ⚠ \`${reason}\`: ${SENTENCES[reason]}`),
  ].join('\n');
}

function errorWord({ code, httpStatus }: NonNullable<VerificationView['lastError']>): string {
  return httpStatus === null ? code : `${code} ${httpStatus}`;
}
