import type { CreateAnswer, LookupAnswer, SeenMovement } from './answers';

/**
 * The bank's current answer, and the request since which it is the same: the unbroken run of equal readable answers. A
 * signed decision names the number, and so rests on these answers alone: the first different answer brings another
 * number.
 */
export interface Evidence {
  /** The first request of the run. */
  readonly number: number;
  /** Equal for answers with the same meaning. */
  readonly told: string;
}

/**
 * Pure, and the same for a run and for the journal's lines. An error, a refusal and a sure "not sent" are no readable
 * answers: they neither begin nor end such a run.
 */
export function evidenceAfter(
  before: Evidence | undefined,
  number: number,
  answer: CreateAnswer | LookupAnswer,
): Evidence | undefined {
  const told = toldBy(answer);
  return told === null || told === before?.told ? before : { number, told };
}

/** 0: there was no readable answer. */
export const evidenceNumberOf = ({ evidence }: { readonly evidence?: Evidence }): number =>
  evidence?.number ?? 0;

/** An answered create counts as equal to a look-up that finds the same movement. */
function toldBy(answer: CreateAnswer | LookupAnswer): string | null {
  if ('movement' in answer) return JSON.stringify(essenceOf(answer.movement));
  return answer.kind === 'not-found' ? 'not-found' : null;
}

/**
 * The meaning of a movement. The hash of the answer's bytes is left out: it may differ from answer to answer while
 * nothing changes.
 */
export function essenceOf(movement: SeenMovement): readonly unknown[] {
  const { status, movementId, network, networkId, postingAt, completedAt, echo, echoFields, reported } =
    movement;
  const told = [status, movementId, network, networkId, postingAt, completedAt, echo, echoFields];
  return [...told, ...(reported === undefined ? [] : [reported.amount, reported.currency])];
}
