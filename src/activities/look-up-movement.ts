import { isDeepStrictEqual } from 'node:util';
import type { Permit } from '../bank/limiter/limiter';
import { observeLookup } from '../bank/movements/observation';
import { isFinalStatus } from '../domain/movement';
import { endAfterLookup } from '../domain/transfer/end-after-lookup';
import { retryAfterOf } from '../domain/transfer/answers';
import type { LookupAnswer } from '../domain/transfer/answers';
import { CLAIM_ANSWER_MS } from '../domain/transfer/cadence';
import type { TransferSettings } from '../domain/transfer/settings';
import { elapsedSince } from '../journal/elapsed';
import { answerDigest } from './answer-digest';
import type { TransferActivityContext } from './context';
import { orRefused } from './journal-refusal';
import { inTime, orderOfReceipt, REPEATED_STEP, withoutSending } from './numbered-request';
import type { NumberedLookup, RequestAnswered, RequestOutcome } from './numbered-request';
import { recordResult } from './record-transfer';
import { requestReport } from './transfer-observer';
import { reportHealth, withPermit } from './with-permit';

/**
 * Asks the bank for the movement of an originId under a claimed number. An answer without news is not recorded: the
 * last record stands for it, so an unchanged poll takes only one statement. A final status is always recorded, because
 * an annulment must refer to it. So is an answer with a Retry-After. An answer with different accounts or tax ids is
 * recorded too, if the journal keeps their values: the digest does not cover the values, and people decide by the
 * latest ones. If the journal's row was altered, no order exists to compare an answer with, so an answer never counts
 * as a match.
 *
 * If the answer ends the transfer and nothing else is due, the same step records the result.
 *
 * If the request of a lost run or a lost step has been answered meanwhile, the look-up is not sent: the answer may
 * demand a longer gap, or a flag.
 */
export function lookUpMovement(context: TransferActivityContext) {
  const { journal, bank, settings, observer } = context;
  const make = async (request: NumberedLookup, permit: Permit): Promise<RequestOutcome<LookupAnswer>> => {
    const { originId, number, unanswered, runId, workflowTime } = request;
    const late =
      unanswered === undefined ? null : await journal.recordedAnswer({ originId, number: unanswered });
    if (late !== null) return { kind: 'answered-late', ...late, settings };
    const lateMs = request.lateMs + permit.waitedMs;
    const claim = await orRefused(async () =>
      inTime(await journal.claimRequest({ originId, number, kind: 'lookup', runId })),
    );
    if (claim.kind === 'refused') return claim;
    if (claim.kind !== 'claimed') {
      return withoutSending(claim, request, {
        requestKind: 'lookup',
        nothingRecorded: { kind: 'no-answer', error: REPEATED_STEP },
        timeoutMs: settings.lookupTimeoutMs,
        settings,
      });
    }
    const sinceClaimMs = elapsedSince();
    const leaveWithinMs = (): number =>
      settings.lookupTimeoutMs + CLAIM_ANSWER_MS - claim.claimAgeMs - sinceClaimMs();
    const startedAt = performance.now();
    const reply = await bank.getMovement(
      { originId: String(originId) },
      { workflowTime, permit, leaveWithinMs },
    );
    reportHealth(permit, reply);
    const durationMs = performance.now() - startedAt;
    const { answer, differing } = observeLookup(orderOfReceipt(originId, claim), reply);
    const digest = answerDigest(answer);
    const isNews = digest !== claim.lastDigest;
    // Before the record: the request was made, even if the journal is away or refuses the answer.
    observer?.requestEnded(
      requestReport({ request: 'get-movement', originId, number, durationMs, lateMs, isNews }, answer),
    );
    const hasValuesToKeep = journal.keepsDiffering && differing.length > 0;
    if (isNews || isFinal(answer) || retryAfterOf(answer) !== null || hasValuesToKeep) {
      const recorded = await orRefused(() =>
        journal.recordAnswer({ originId, number, answer, digest, differing }),
      );
      if (recorded !== undefined) return { ...recorded, isMade: true };
    }
    return { kind: 'answer', answer, settings, inFlightMs: 0 };
  };
  return async (request: NumberedLookup): Promise<LookupOutcome> => {
    const sinceStartMs = elapsedSince();
    const outcome = await withPermit(context, 'lookup', request, (permit) => make(request, permit));
    if (outcome.kind !== 'answer') return outcome;
    const ended = sinceStartMs() <= END_WITHIN_MS ? await withEnd(context, request, outcome) : outcome;
    return withoutKnownSettings(ended, request);
  };
}

/** As `RequestOutcome`; an answer has no `settings` if they are those of the run's state. */
export type LookupOutcome =
  | Exclude<RequestOutcome<LookupAnswer>, { readonly kind: 'answer' }>
  | (Omit<RequestAnswered<LookupAnswer>, 'settings'> & { readonly settings?: TransferSettings });

/** The history keeps each answer, and unchanged settings would be a third of its bytes. */
function withoutKnownSettings(
  { settings, ...outcome }: RequestAnswered<LookupAnswer>,
  { before }: NumberedLookup,
): LookupOutcome {
  const isKnown = before !== undefined && isDeepStrictEqual(before.state.settings, settings);
  return isKnown ? outcome : { ...outcome, settings };
}

/** After a slower look-up, recording the end in the same step might exceed the time-out of the step. */
const END_WITHIN_MS = 10_000;

/**
 * Records the end of the transfer, if the answer brings one. If recording fails, the run records the end in a separate
 * step, and that step reports the error.
 */
async function withEnd(
  context: TransferActivityContext,
  { before, number }: NumberedLookup,
  outcome: RequestAnswered<LookupAnswer>,
): Promise<RequestAnswered<LookupAnswer>> {
  if (before === undefined) return outcome;
  const { state, startedAtMs } = before;
  try {
    // The start serves as the time of the event: the end is the same, however long the look-up took.
    const ended = { ...outcome, kind: 'lookup-ended', atMs: startedAtMs, startedAtMs, number } as const;
    const result = endAfterLookup(state, ended);
    return result === null ? outcome : { ...outcome, end: await recordResult(context)(result) };
  } catch {
    return outcome;
  }
}

const isFinal = (answer: LookupAnswer): boolean =>
  answer.kind === 'movement' && isFinalStatus(answer.movement.status);
