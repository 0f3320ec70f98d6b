import { isJsonObject, parseJson, scalarText } from '../bank/http/json';
import { bodyText } from './notification';
import type { IdKind, Notification, NotificationReading, NotifiedEvent } from './notification';
import { IdCandidates } from './id-candidates';
import { notificationParts, scanFields } from './notification-parts';
import type { NotificationPart } from './notification-parts';

/** Names of fields, lower-case letters only, that carry ids in the bank's interface and in neighbouring ones. */
const ID_FIELDS: ReadonlyMap<string, IdKind> = new Map([
  ['originid', 'originId'],
  ['movementid', 'movementId'],
  ['transactionid', 'movementId'],
  ['networkid', 'networkId'],
  ['coelsaid', 'networkId'],
  ['debinid', 'networkId'],
  ['requestid', 'requestId'],
]);

const TYPE_WORD = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * Reads the bytes of a verified notification, one event for each movement in it: ids at the configured pointers and by
 * a bounded scan of field names, and which way the money went.
 */
export function readNotification(body: Buffer, reading: NotificationReading): Notification {
  const parsed = parseJson(bodyText(body));
  if (!parsed.ok) return { kind: 'unreadable' };
  const document = parsed.value;
  // Numbers are objects here, too: they keep their digits.
  if (!isJsonObject(document) && !Array.isArray(document)) return { kind: 'unreadable' };
  const { parts, isCut } = notificationParts(document);
  const read = parts.map((part) => readPart(part, reading));
  return {
    kind: 'readable',
    events: read.map(({ event }) => event),
    isCut: isCut || read.some((part) => part.isCut),
  };
}

function readPart(
  { document, at }: NotificationPart,
  { idPointers, debitPointer, debitTypes }: NotificationReading,
): { readonly event: NotifiedEvent; readonly isCut: boolean } {
  const candidates = new IdCandidates();
  for (const { kind, tokens } of idPointers) {
    if (kind === null) candidates.addAny(at(tokens));
    else candidates.add(kind, at(tokens));
  }
  const isDebit = (word: string): boolean => debitTypes.some((pattern) => matches(pattern, word));
  let debitWord: string | null = null;
  const isWhole = scanFields(document, ({ name, value, isOfMovement }) => {
    const kind = name === 'id' && isOfMovement ? 'movementId' : ID_FIELDS.get(name);
    if (kind !== undefined) candidates.add(kind, value);
    // Other texts may be the payer's own words.
    if (name.endsWith('type') && typeof value === 'string' && isDebit(value)) debitWord ??= value;
  });
  const told = debitPointer === null ? debitWord : scalarText(at(debitPointer));
  return {
    event: {
      ids: candidates.ids(),
      direction: told === null ? 'unknown' : isDebit(told) ? 'debit' : 'other',
      movementType: told !== null && TYPE_WORD.test(told) ? told : null,
    },
    isCut: !isWhole || candidates.isCut,
  };
}

function matches(pattern: string, word: string): boolean {
  return pattern.endsWith('*') ? word.startsWith(pattern.slice(0, -1)) : word === pattern;
}
