import { isJsonObject, valueAt } from '../bank/http/json';

/** Far more than a bank puts into one notification; what comes after is dropped. */
export const PARTS_MAX = 100;

/** What a notification says of one movement: itself, or itself with its list of movements narrowed to one of them. */
export interface NotificationPart {
  readonly document: object;
  /** The value at a pointer into the notification; an index of another movement leads nowhere. */
  readonly at: (tokens: readonly string[]) => unknown;
}

/**
 * One part for each object of a list that is the whole notification or stands in its `data`: a transfer that is known
 * must not vouch for the debit beside it.
 */
export function notificationParts(document: object): {
  readonly parts: readonly NotificationPart[];
  readonly isCut: boolean;
} {
  const path = Array.isArray(document) ? [] : ['data'];
  const list = valueAt(document, path);
  const members = Array.isArray(list)
    ? list.flatMap((member: unknown, index) => (isJsonObject(member) ? [{ member, index }] : []))
    : [];
  if (members.length === 0)
    return { parts: [{ document, at: (tokens) => valueAt(document, tokens) }], isCut: false };
  return {
    parts: members.slice(0, PARTS_MAX).map(({ member, index }) => {
      const narrowed = path.length === 0 ? member : { ...document, data: member };
      return { document: narrowed, at: (tokens) => valueThrough(narrowed, path.length, index, tokens) };
    }),
    isCut: members.length > PARTS_MAX,
  };
}

/** `/data/3/id` is `/data/id` of the fourth movement and nothing of the others; `/data/id` is that of each. */
function valueThrough(narrowed: object, depth: number, index: number, tokens: readonly string[]): unknown {
  const token = tokens[depth];
  const leadsIn = depth === 0 || tokens[0] === 'data';
  if (!leadsIn || token === undefined || !/^[0-9]+$/.test(token)) return valueAt(narrowed, tokens);
  return token === String(index) ? valueAt(narrowed, tokens.toSpliced(depth, 1)) : undefined;
}

/** Values looked at by the scan; a notification has a few dozen. */
const SCANNED_MAX = 2_000;

/** Fields, each inside the one before, in which an `id` is the movement's: elsewhere it is a person's or an account's. */
const MOVEMENT_PLACES: ReadonlySet<string> = new Set(['data', 'movement', 'details']);

/** Beside them an `id` is that of the delivery. */
const ENVELOPE_FIELDS = ['data', 'redeliveries'] as const;

interface ScannedField {
  /** Lower-case letters only; empty in a list. */
  readonly name: string;
  readonly value: unknown;
  /** A bare `id` here is the movement's. */
  readonly isOfMovement: boolean;
}

/** Breadth first, so that a huge list inside does not hide the fields beside it. False: there were more than the bound. */
export function scanFields(document: object, look: (field: ScannedField) => void): boolean {
  const isEnvelope = ENVELOPE_FIELDS.some((name) => Object.hasOwn(document, name));
  const queue: { readonly node: unknown; readonly isPlace: boolean }[] = [{ node: document, isPlace: true }];
  let seen = 0;
  for (const { node, isPlace } of queue) {
    const entries = Array.isArray(node)
      ? node.map((value) => ['', value] as const)
      : isJsonObject(node)
        ? Object.entries(node)
        : [];
    const isOfMovement = isPlace && !(isEnvelope && node === document);
    for (const [field, value] of entries) {
      if (++seen > SCANNED_MAX) return false;
      const name = field.toLowerCase().replace(/[^a-z]/g, '');
      if (typeof value === 'object' && value !== null)
        queue.push({ node: value, isPlace: isPlace && MOVEMENT_PLACES.has(name) });
      look({ name, value, isOfMovement });
    }
  }
  return true;
}
