import type { AnsweredLate } from '../../activities/numbered-request';
import type { CreateEnded, LookupEnded } from '../../domain/transfer/events';

/**
 * The event of an answer that was recorded after the run had stopped waiting for it. `step`: begin and end of the step
 * that read the answer.
 */
export function lateAnswer(
  { claimAgeMs, answerAgeMs, settings, ...late }: AnsweredLate,
  step: { readonly startedAtMs: number; readonly atMs: number },
): CreateEnded | LookupEnded {
  const ended = {
    // The request had ended when its answer was recorded: gap and age of the answer count from then on.
    atMs: step.atMs - answerAgeMs,
    // Not later than the request really began, so that a hint that arrived since then is kept.
    startedAtMs: step.startedAtMs - claimAgeMs,
    number: late.number,
    settings,
    inFlightMs: 0,
  };
  return late.requestKind === 'create'
    ? { ...ended, kind: 'create-ended', answer: late.answer, claimAgeMs: claimAgeMs - answerAgeMs }
    : { ...ended, kind: 'lookup-ended', answer: late.answer };
}
