import { isJsonObject, valueAt } from '../bank/http/json';
import type { ReadingBudget } from './reading-budget';

/** Far more parts than a bank puts into one notification; further ones are dropped. */
const PARTS_MAX = 100;

/** How many members at the start of a list are searched for movements: if none of them is one, the list has none. */
const MEMBERS_MAX = 1_000;

/** The part of a notification about one movement: all of it, or one object of its list of movements. */
export interface NotificationPart {
  /** The fields of this movement alone. */
  readonly own: Scanned;
  /** The value at a pointer into the notification; undefined for an index of another movement. */
  readonly at: (tokens: readonly string[]) => unknown;
}

export interface NotificationParts {
  /** The fields outside the list of movements, which belong to every movement; null: none. */
  readonly shared: Scanned | null;
  readonly parts: readonly NotificationPart[];
  readonly isCut: boolean;
}

/**
 * One part for each object of a list, if the notification or its `data` is a list: a known transfer must not hide an
 * unknown debit in the same list.
 */
export function notificationParts(document: object): NotificationParts {
  const path = Array.isArray(document) ? [] : ['data'];
  const list = valueAt(document, path);
  const { members, isCut } = Array.isArray(list) ? movementsOf(list) : { members: [], isCut: false };
  if (members.length === 0) {
    const own: Scanned = { root: document, isEnvelope: isEnvelope(document), without: null };
    return { shared: null, parts: [{ own, at: (tokens) => valueAt(document, tokens) }], isCut };
  }
  const isWhole = path.length === 0;
  return {
    shared: isWhole ? null : { root: document, isEnvelope: true, without: 'data' },
    parts: members.map(({ member, index }) => ({
      own: { root: member, isEnvelope: isWhole && isEnvelope(member), without: null },
      at: (tokens) => valueThrough(document, path, { member, index }, tokens),
    })),
    isCut,
  };
}

interface Member {
  readonly member: object;
  readonly index: number;
}

function movementsOf(list: readonly unknown[]): { readonly members: Member[]; readonly isCut: boolean } {
  const members: Member[] = [];
  const end = Math.min(list.length, MEMBERS_MAX);
  for (let index = 0; index < end; index++) {
    const member = list[index];
    if (!isJsonObject(member)) continue;
    if (members.length === PARTS_MAX) return { members, isCut: true };
    members.push({ member, index });
  }
  return { members, isCut: list.length > MEMBERS_MAX };
}

/** `/data/3/id` points to the id of the fourth movement only; `/data/id` to that of each movement. */
function valueThrough(
  document: object,
  path: readonly string[],
  { member, index }: Member,
  tokens: readonly string[],
): unknown {
  if (path.some((field, at) => tokens[at] !== field)) return valueAt(document, tokens);
  const [first, ...rest] = tokens.slice(path.length);
  if (first === undefined || !/^[0-9]+$/.test(first)) return valueAt(member, tokens.slice(path.length));
  return first === String(index) ? valueAt(member, rest) : undefined;
}

/** Maximum number of values that one scan reads; a movement has a few dozen. */
const SCANNED_MAX = 2_000;

/**
 * Fields, each inside the one before, in which an `id` is the movement's: elsewhere it is a person's or an account's.
 */
const MOVEMENT_PLACES: ReadonlySet<string> = new Set(['data', 'movement', 'details']);

/** An `id` in the same object as one of these is the delivery's. */
const ENVELOPE_FIELDS = ['data', 'redeliveries'] as const;

interface ScannedField {
  /** Lower-case letters only; empty in a list. */
  readonly name: string;
  readonly value: unknown;
  /** A bare `id` here is the movement's. */
  readonly isOfMovement: boolean;
}

/** What a scan reads. */
export interface Scanned {
  readonly root: object;
  /** A bare `id` of the root is then the delivery's. */
  readonly isEnvelope: boolean;
  /** A field of the root to leave out. */
  readonly without: string | null;
}

const isEnvelope = (document: object): boolean =>
  ENVELOPE_FIELDS.some((name) => Object.hasOwn(document, name));

/**
 * Breadth first, so that a huge nested list does not hide the fields around it. False: more values than `share`, or
 * than the budget still allows.
 */
export function scanFields(
  { root, isEnvelope: isOfDelivery, without }: Scanned,
  budget: ReadingBudget,
  share: number,
  look: (field: ScannedField) => void,
): boolean {
  let left = Math.min(share, SCANNED_MAX, budget.nodes);
  const queue: { readonly node: object; readonly isPlace: boolean }[] = [{ node: root, isPlace: true }];
  for (const { node, isPlace } of queue) {
    const isOfMovement = isPlace && !(isOfDelivery && node === root);
    for (const [field, value] of entriesOf(node)) {
      if (node === root && field === without) continue;
      if (left-- === 0) return false;
      budget.nodes--;
      const name = field.toLowerCase().replace(/[^a-z]/g, '');
      if (Array.isArray(value) || isJsonObject(value))
        queue.push({ node: value, isPlace: isPlace && MOVEMENT_PLACES.has(name) });
      look({ name, value, isOfMovement });
    }
  }
  return true;
}

/** Lazy: most of a large list is never read. */
function* entriesOf(node: object): Generator<readonly [field: string, value: unknown]> {
  if (Array.isArray(node)) {
    for (const value of node as readonly unknown[]) yield ['', value];
    return;
  }
  for (const field of Object.keys(node)) yield [field, (node as Record<string, unknown>)[field]];
}
