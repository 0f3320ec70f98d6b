import type { EchoField } from '../domain/echo';
import { judgeFinal } from '../domain/post-final';
import type { Contradiction } from '../domain/post-final';
import { isFinalStatus } from '../domain/movement';
import type { LookupAnswer, SeenMovement } from '../domain/transfer/answers';
import type { TransferResult } from '../domain/transfer/result';
import { isInFlight } from './books';
import type { BankObservation, BookedTransfer, CompareContext, JournalEntry } from './books';
import type { FoundBreak } from './break';
import type { SubCase } from './differences';
import { evidenceOf, foundBreak } from './found-break';

/** The sub-case of the break for a field that differs. */
const FIELD_SUB_CASES: Readonly<Record<EchoField, SubCase | null>> = {
  amount: 'AMOUNT_AT_BANK',
  currency: 'CURRENCY_AT_BANK',
  'destination.address': 'DESTINATION_AT_BANK',
  'destination.personId': 'DESTINATION_AT_BANK',
  'source.address': 'SOURCE_AT_BANK',
  'source.personId': 'SOURCE_AT_BANK',
  // The answer is about another movement (`isIdentity`), whatever else differs.
  originId: null,
  // Sometimes absent, never different.
  details: null,
};

/** Compares the bank's answer with the journal's entry. */
export function compareWithBank(
  { bank, run }: BookedTransfer,
  entry: JournalEntry,
  context: CompareContext,
  isDuplicate: boolean,
): FoundBreak[] {
  const at = (subCase: SubCase, tail: readonly string[], fact: readonly (string | null)[] = []) =>
    foundBreak(subCase, {
      originId: entry.originId,
      tail,
      amount: entry.amount,
      evidence: evidenceOf(bank),
      fact,
    });
  switch (bank.kind) {
    case 'not-asked':
      return [];
    case 'no-answer': {
      const status = bank.httpStatus === null ? [] : [`HTTP ${bank.httpStatus}`];
      return [at('NO_ANSWER', [bank.code, ...status])];
    }
    case 'not-recorded':
      return [at('NOT_RECORDED', [bank.refusal])];
    case 'not-found':
      return notFound(entry, bank).map((subCase) =>
        at(subCase, [`movement ${entry.movementId ?? 'without id'}`]),
      );
    case 'movement': {
      const { movement } = bank;
      const tail = [
        `journal ${entry.result?.status ?? 'open'}`,
        `bank ${movement.status}`,
        ...(movement.movementId === null ? [] : [`movement ${movement.movementId}`]),
      ];
      const fields = differingFields(movement);
      if (entry.result === null) {
        const isDriven = run.kind === 'open' || run.kind === 'unknown';
        const isSlow = isDriven && !isInFlight(bank.at, context.readAt);
        return openDifferences(entry, movement, fields, isSlow, isDuplicate).map((subCase) =>
          at(subCase, [...tail, ...differs(subCase, fields)], [movement.status, ...fields]),
        );
      }
      return finalDifferences(entry, entry.result, movement, fields, isDuplicate).map((subCase) =>
        at(
          subCase,
          [...tail, ...differs(subCase, fields)],
          [movement.status, movement.movementId, ...fields],
        ),
      );
    }
  }
}

function notFound(
  entry: JournalEntry,
  { source }: BankObservation & { readonly kind: 'not-found' },
): SubCase[] {
  if (entry.result === null) {
    // Only twelve not-founds in a row mean that a movement vanished. A single not-found may be a race, and the
    // transfer's run keeps asking.
    const vanished = source === 'recorded' && entry.flags.some(({ reason }) => reason === 'VANISHED');
    return vanished ? ['VANISHED'] : [];
  }
  if (judgeFinal(entry.result, { kind: 'not-found' }).kind !== 'contradicts') return [];
  return [entry.result.status === 'FAILED' ? 'FAILED_NOT_FOUND' : 'COMPLETED_NOT_FOUND'];
}

/**
 * For an ended transfer, `post-final` decides about contradictions; mere differences of fields have separate classes.
 */
function finalDifferences(
  entry: JournalEntry,
  result: TransferResult,
  movement: SeenMovement,
  fields: readonly EchoField[],
  isDuplicate: boolean,
): SubCase[] {
  const judged = judgeFinal(result, asAnswer(movement));
  if (judged.kind === 'agrees') return [];
  if (judged.kind === 'says-nothing') {
    const confirms = movement.echo !== 'incomplete' || result.decidedBy === 'operators';
    return confirms ? [] : ['INCOMPLETE_ANSWER'];
  }
  if (judged.fact !== 'OTHER_MOVEMENT') return [subCaseOf(judged.fact, result)];
  if (isIdentity(entry, movement)) return isDuplicate ? [] : ['OTHER_MOVEMENT'];
  const ofFields = fieldSubCases(fields);
  const byStatus = judgeFinal(result, asAnswer({ ...movement, echo: 'match', echoFields: [] }));
  if (byStatus.kind === 'contradicts') return [subCaseOf(byStatus.fact, result)];
  return ofFields.length > 0 ? ofFields : ['OTHER_MOVEMENT'];
}

function openDifferences(
  entry: JournalEntry,
  movement: SeenMovement,
  fields: readonly EchoField[],
  isSlow: boolean,
  isDuplicate: boolean,
): SubCase[] {
  if (isIdentity(entry, movement)) return isDuplicate ? [] : ['OTHER_MOVEMENT'];
  if (fields.length > 0) return fieldSubCases(fields);
  if (entry.sends === 0) return ['UNSENT_BUT_KNOWN'];
  if (!isFinalStatus(movement.status)) return [];
  if (movement.echo === 'incomplete') return ['INCOMPLETE_ANSWER'];
  if (!isSlow) return [];
  return movement.status === 'FAILED' && entry.annulment === null ? ['FAILED_ANSWER'] : ['FINAL_NOT_TAKEN'];
}

/**
 * Whether the answer is about another movement, by our id or the bank's id in it. Its other fields then do not count.
 */
function isIdentity(entry: JournalEntry, { movementId, echoFields, echo }: SeenMovement): boolean {
  const known = entry.result?.movementId ?? entry.movementId;
  if (known !== null && movementId !== null && known !== movementId) return true;
  return echo === 'mismatch' && echoFields.includes('originId');
}

const differingFields = ({ echo, echoFields }: SeenMovement): readonly EchoField[] =>
  echo === 'mismatch' ? [...echoFields].sort() : [];

const fieldSubCases = (fields: readonly EchoField[]): SubCase[] => [
  ...new Set(fields.flatMap((field) => FIELD_SUB_CASES[field] ?? [])),
];

/** Names the fields that the sub-case is about. */
function differs(subCase: SubCase, fields: readonly EchoField[]): string[] {
  const own = fields.filter((field) => (FIELD_SUB_CASES[field] ?? subCase) === subCase);
  return own.length === 0 ? [] : [`differs in ${own.join(', ')}`];
}

function subCaseOf(fact: Contradiction, { status }: TransferResult): SubCase {
  if (fact !== 'FINAL_NOT_FOUND') return fact;
  return status === 'FAILED' ? 'FAILED_NOT_FOUND' : 'COMPLETED_NOT_FOUND';
}

const asAnswer = (movement: SeenMovement): LookupAnswer => ({ kind: 'movement', movement });
