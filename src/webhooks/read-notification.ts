import { isJsonObject, parseJson, scalarText } from '../bank/http/json';
import { bodyText } from './notification';
import type { IdKind, Notification, NotificationReading, NotifiedEvent } from './notification';
import { IdCandidates } from './id-candidates';
import { notificationParts, scanFields } from './notification-parts';
import type { NotificationPart, Scanned } from './notification-parts';
import { newBudget } from './reading-budget';
import type { ReadingBudget } from './reading-budget';

/** Names of fields, in lower-case letters only, that hold ids in the bank's interface and in similar ones. */
const ID_FIELDS: ReadonlyMap<string, IdKind> = new Map([
  ['originid', 'originId'],
  ['movementid', 'movementId'],
  ['transactionid', 'movementId'],
  ['networkid', 'networkId'],
  ['coelsaid', 'networkId'],
  ['debinid', 'networkId'],
  ['requestid', 'requestId'],
]);

const TYPE_FORM = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * Reads a verified notification: one event for each movement, with its ids and the direction of the money. Finds ids at
 * the configured pointers and by a bounded scan of field names.
 */
export function readNotification(body: Buffer, reading: NotificationReading): Notification {
  const parsed = parseJson(bodyText(body));
  if (!parsed.ok) return { kind: 'unreadable' };
  return readDocument(parsed.value, reading);
}

/** @param document as `parseJson` reads it */
export function readDocument(document: unknown, reading: NotificationReading): Notification {
  // Numbers are objects here too: they keep their digits.
  if (!isJsonObject(document) && !Array.isArray(document)) return { kind: 'unreadable' };
  const budget = newBudget();
  const { shared, parts, isCut } = notificationParts(document);
  const isDebit = (word: string): boolean => isDebitType(word, reading.debitTypes);
  const beside = shared === null ? null : scan(shared, budget, budget.nodes, null, isDebit);
  const events = parts.map((part, index) =>
    readPart(part, { ...reading, isDebit, beside, budget, partsLeft: parts.length - index }),
  );
  return {
    kind: 'readable',
    events: events.map(({ event }) => event),
    isCut: isCut || beside?.isCut === true || events.some((part) => part.isCut),
  };
}

interface Found {
  readonly candidates: IdCandidates;
  readonly debitType: string | null;
  readonly isCut: boolean;
}

function readPart(
  { own, at }: NotificationPart,
  reading: NotificationReading & {
    readonly isDebit: (word: string) => boolean;
    /** Ids that were found outside the list of movements. */
    readonly beside: Found | null;
    readonly budget: ReadingBudget;
    /** Includes the current part: the budget is shared among them. */
    readonly partsLeft: number;
  },
): { readonly event: NotifiedEvent; readonly isCut: boolean } {
  const { idPointers, debitPointer, isDebit, beside, budget, partsLeft } = reading;
  const candidates = new IdCandidates(budget, beside?.candidates);
  for (const { kind, tokens } of idPointers) {
    if (kind === null) candidates.addAny(at(tokens));
    else candidates.add(kind, at(tokens));
  }
  const found = scan(own, budget, Math.floor(budget.nodes / partsLeft), candidates, isDebit);
  const debitType =
    debitPointer === null ? (beside?.debitType ?? found.debitType) : scalarText(at(debitPointer));
  return {
    event: {
      ids: candidates.ids(),
      direction: debitType === null ? 'unknown' : isDebit(debitType) ? 'debit' : 'other',
      movementType: debitType !== null && TYPE_FORM.test(debitType) ? debitType : null,
    },
    isCut: found.isCut,
  };
}

function scan(
  scanned: Scanned,
  budget: ReadingBudget,
  share: number,
  into: IdCandidates | null,
  isDebit: (word: string) => boolean,
): Found {
  const candidates = into ?? new IdCandidates(budget);
  let debitType: string | null = null;
  const isWhole = scanFields(scanned, budget, share, ({ name, value, isOfMovement }) => {
    const kind = name === 'id' && isOfMovement ? 'movementId' : ID_FIELDS.get(name);
    if (kind !== undefined) candidates.add(kind, value);
    // The payer may write other texts.
    if (name.endsWith('type') && typeof value === 'string' && isDebit(value)) debitType ??= value;
  });
  return { candidates, debitType, isCut: !isWhole || candidates.isCut };
}

/** Whether a movement's type is one of `debitTypes`. */
export const isDebitType = (word: string, debitTypes: readonly string[]): boolean =>
  debitTypes.some((pattern) => matches(pattern, word));

function matches(pattern: string, word: string): boolean {
  return pattern.endsWith('*') ? word.startsWith(pattern.slice(0, -1)) : word === pattern;
}
