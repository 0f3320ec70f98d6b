import { isJsonObject } from '../bank/http/json';
import { valueAt } from '../bank/http/json-pointer';

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
