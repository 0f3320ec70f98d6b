import { isJsonObject, parseJson, scalarText } from '../bank/json';
import { valueAt } from '../bank/json-pointer';
import { IdCandidates } from './id-candidates';
import type { IdKind, Notification, NotificationReading } from './notification';

/** Values looked at by the scan; a notification has a few dozen. */
const SCANNED_MAX = 2_000;

/** Names of fields, lower-case letters only, that carry ids in the bank's interface and in neighbouring ones. */
const ID_FIELDS: ReadonlyMap<string, IdKind> = new Map([
  ['originid', 'originId'],
  ['movementid', 'movementId'],
  ['transactionid', 'movementId'],
  ['id', 'movementId'],
  ['networkid', 'networkId'],
  ['coelsaid', 'networkId'],
  ['debinid', 'networkId'],
  ['requestid', 'requestId'],
]);

const TYPE_WORD = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * Reads the bytes of a verified notification: ids at the configured pointers and by a bounded scan of field names,
 * and which way the money went.
 */
export function readNotification(body: Buffer, reading: NotificationReading): Notification {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return { kind: 'unreadable' };
  }
  const parsed = parseJson(text);
  if (!parsed.ok) return { kind: 'unreadable' };
  const document = parsed.value;
  // Numbers are objects here, too: they keep their digits.
  if (!isJsonObject(document) && !Array.isArray(document)) return { kind: 'unreadable' };

  const candidates = new IdCandidates();
  for (const { kind, tokens } of reading.idPointers) {
    const value = valueAt(document, tokens);
    if (kind === null) candidates.addAny(value);
    else candidates.add(kind, value);
  }
  const isDebit = (word: string): boolean => reading.debitTypes.some((pattern) => matches(pattern, word));
  let debitWord: string | null = null;
  scan(document, (name, value) => {
    const kind = ID_FIELDS.get(name.toLowerCase().replace(/[^a-z]/g, ''));
    if (kind !== undefined) candidates.add(kind, value);
    if (reading.debitPointer === null && typeof value === 'string' && isDebit(value)) debitWord ??= value;
  });
  const told =
    reading.debitPointer === null ? debitWord : scalarText(valueAt(document, reading.debitPointer));
  return {
    kind: 'readable',
    ids: candidates.ids(),
    direction: told === null ? 'unknown' : isDebit(told) ? 'debit' : 'other',
    movementType: told !== null && TYPE_WORD.test(told) ? told : null,
  };
}

function matches(pattern: string, word: string): boolean {
  return pattern.endsWith('*') ? word.startsWith(pattern.slice(0, -1)) : word === pattern;
}

/** Breadth first, so that a huge list inside does not hide the fields beside it. */
function scan(document: object, look: (name: string, value: unknown) => void): void {
  const queue: unknown[] = [document];
  let seen = 0;
  for (const node of queue) {
    const entries = Array.isArray(node)
      ? node.map((value) => ['', value] as const)
      : isJsonObject(node)
        ? Object.entries(node)
        : [];
    for (const [name, value] of entries) {
      if (++seen > SCANNED_MAX) return;
      if (typeof value === 'object' && value !== null) queue.push(value);
      look(name, value);
    }
  }
}
