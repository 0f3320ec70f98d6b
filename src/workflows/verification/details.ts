import { REFUSALS_CONFIRMED } from '../../domain/verification/apply';
import { openVerificationReasons } from '../../domain/verification/flags';
import type { VerificationReason } from '../../domain/verification/flags';
import type { VerificationState } from '../../domain/verification/state';
import { verificationView } from '../../domain/verification/view';
import { clock, errorLabel, times } from '../markdown';

/** The sentence for operators about each flag. */
const SENTENCES: Record<VerificationReason, string> = {
  ECHO_MISMATCH: 'The bank answers with another verification request. Nothing in such an answer counts.',
  ECHO_INCOMPLETE: 'The bank reports a final status without the requestId. The answer ends nothing.',
  STATUS_LEFT_FINAL:
    'The bank reported a status that means approved or rejected, and then another one. Ask the bank.',
  STATUS_UNKNOWN:
    'The bank uses a status that KYC_STATUS_MAP does not have. It is no outcome until it is mapped.',
  REQUEST_NOT_FOUND: 'The bank knows no request with this id. Giro keeps polling.',
  BANK_UNAUTHORIZED: `The bank has refused our credentials at least ${REFUSALS_CONFIRMED} times in a row.`,
  NO_ANSWER: 'The bank has given no readable answer for a while. Giro keeps polling.',
  OPEN_TOO_LONG: 'In this status for longer than expected. Tracking continues.',
};

/**
 * The run's current details in the Temporal UI: what the run waits for, since when, what comes next, what an operator
 * may do. Markdown; identifiers and statuses only. `iso` turns ms into ISO UTC.
 */
export function verificationDetails(state: VerificationState, iso: (ms: number) => string): string {
  const view = verificationView(state, iso);
  const last = view.history.at(-1);
  const since = state.last === null ? state.openedAtMs : state.last.sinceMs;
  return [
    view.outcome === null ? '**tracking**' : `**${view.outcome}**`,
    '',
    ...(view.outcome === null
      ? ['- **waits for** a status that means approved or rejected', `- **since** ${clock(iso(since))}`]
      : ['- **waits for** nothing']),
    `- **next** ${view.nextPollAt === null ? 'nothing is planned' : `request to the bank ${clock(view.nextPollAt)}`}; asked ${times(view.polls)}, last ${clock(view.lastPolledAt)}`,
    `- bank status: ${last === undefined ? 'none yet' : `\`${last.status}\` since ${clock(last.at)}`}`,
    ...(view.lastError === null ? [] : [`- last request failed: \`${errorLabel(view.lastError)}\``]),
    ...openVerificationReasons(state.flags).map(
      (reason) => `- ⚠ \`${reason}\` since ${clock(iso(state.flags[reason] ?? 0))}: ${SENTENCES[reason]}`,
    ),
    ...(view.outcome === null
      ? [
          '',
          view.needsAttention ? 'You may:' : 'Nothing has to be done. You may:',
          '',
          '- signal `verificationHint` `{"source":"…","eventId":"…"}`: ask the bank as soon as the cadence allows',
          '- *Request Cancellation*: stop tracking, until it is started again',
        ]
      : []),
  ].join('\n');
}
