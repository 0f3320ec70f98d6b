import type { CreateAnswer, LookupAnswer, SeenMovement } from './answers';

/**
 * The bank's current answer, and the first request of the unbroken series of equal readable answers (contract 4.6). A
 * signed decision names the number of that request, and so covers only these answers: the first different answer brings
 * another number.
 */
export interface Evidence {
  /** The first request of the series. */
  readonly number: number;
  /** Equal for answers with the same meaning. */
  readonly reported: string;
}

/**
 * Pure. Used for the run's state and for the journal's rows. An error, a refusal and a sure "not sent" do not
 * count as readable answers: they neither begin nor end a series.
 */
export function evidenceAfter(
  before: Evidence | undefined,
  number: number,
  answer: CreateAnswer | LookupAnswer,
): Evidence | undefined {
  const reported = reportedBy(answer);
  return reported === null || reported === before?.reported ? before : { number, reported };
}

/** 0: no readable answer so far. */
export const evidenceNumberOf = ({ evidence }: { readonly evidence?: Evidence }): number =>
  evidence?.number ?? 0;

/** An answered create is equal to a look-up that finds the same movement. */
function reportedBy(answer: CreateAnswer | LookupAnswer): string | null {
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
  const essence = [status, movementId, network, networkId, postingAt, completedAt, echo, echoFields];
  return [...essence, ...(reported === undefined ? [] : [reported.amount, reported.currency])];
}
