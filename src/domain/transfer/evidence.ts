import type { CreateAnswer, LookupAnswer, SeenMovement } from './answers';

/**
 * What the bank tells now, and since which request: the unbroken run of equal readable answers. A decision that is signed
 * names the number, and so rests on these answers alone: with the first that differs, the number is another.
 */
export interface Evidence {
  /** The first request of the run. */
  readonly number: number;
  /** Equal for answers that tell the same. */
  readonly told: string;
}

/**
 * Pure, and the same for a run and for the journal's lines. An error, a refusal and a sure "not sent" are no readable
 * answers: they neither begin nor end a run of them.
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

/** A create that was answered tells the same as a look-up that finds the same. */
function toldBy(answer: CreateAnswer | LookupAnswer): string | null {
  if ('movement' in answer) return JSON.stringify(essenceOf(answer.movement));
  return answer.kind === 'not-found' ? 'not-found' : null;
}

/**
 * What a movement tells. The hash of the answer's bytes is left out: it may differ from answer to answer while nothing
 * changes.
 */
export function essenceOf(movement: SeenMovement): readonly unknown[] {
  const { status, movementId, network, networkId, postingAt, completedAt, echo, echoFields, reported } =
    movement;
  const told = [status, movementId, network, networkId, postingAt, completedAt, echo, echoFields];
  return [...told, ...(reported === undefined ? [] : [reported.amount, reported.currency])];
}
