import type { BankObservation, Money } from './books';
import type { BreakEvidence, FoundBreak } from './break';
import { DIFFERENCES, severityOf } from './differences';
import type { SubCase } from './differences';

export interface FoundFacts {
  readonly originId: number | null;
  /** Text after the sentence of the difference: identifiers and statuses. */
  readonly tail: readonly string[];
  readonly amount: Money | null;
  readonly evidence: BreakEvidence | null;
  /** What distinguishes facts under the same key: the bank's status, the fields that differ. */
  readonly fact: readonly (string | null)[];
  /** For orphans: the bank's id, in place of sub-case and originId. */
  readonly keyOf?: string;
}

/** Makes a new break from a difference and its facts. */
export function foundBreak(
  subCase: SubCase,
  { originId, tail, amount, evidence, fact, keyOf }: FoundFacts,
): FoundBreak {
  const { class: breakClass, book, says } = DIFFERENCES[subCase];
  const subject = originId === null ? '' : `Transfer ${originId}: `;
  const sentence = [says, ...tail].join('; ');
  return {
    key: `${breakClass}:${keyOf ?? `${subCase}:${originId ?? ''}`}`,
    class: breakClass,
    subCase,
    originId,
    severity: severityOf(subCase, amount, 0),
    detail: `${subject}${originId === null ? capitalised(sentence) : sentence}.`,
    amount,
    evidence,
    book,
    // For an orphan, a notification and a statement report the same fact.
    fact: [...(keyOf === undefined ? [subCase] : []), ...fact.map((part) => part ?? '-')].join('|'),
  };
}

/** Hash and time of the answer behind an observation; null: no answer. */
export function evidenceOf(observation: BankObservation): BreakEvidence | null {
  switch (observation.kind) {
    case 'movement':
      return { sha256: observation.movement.evidenceSha256, at: observation.at };
    case 'not-found':
    case 'no-answer':
      return { sha256: null, at: observation.at };
    case 'not-recorded':
    case 'not-asked':
      return null;
  }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
