import { isJsonObject } from '../bank/http/json';

/** Values looked at by the scan; a notification has a few dozen. */
const SCANNED_MAX = 2_000;

/** Fields, each inside the one before, in which an `id` is the movement's: elsewhere it is a person's or an account's. */
const MOVEMENT_PLACES: ReadonlySet<string> = new Set(['data', 'movement', 'details']);

/** Beside them an `id` is that of the delivery. */
const ENVELOPE_FIELDS = ['data', 'redeliveries'] as const;

export interface ScannedField {
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
