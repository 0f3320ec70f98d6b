import { withProof } from '../domain/order';
import type { OrderLimits, ProvenOrder } from '../domain/order';
import { validateOrder } from '../domain/order-validation';
import type { OrderIssue } from '../domain/order-validation';

/**
 * An order as a caller writes it: the bank's create body (`TransferOrder`; digits may have spaces, the amount may be
 * a number). With `reference` (1–64 characters) instead of `originId`, the journal chooses the originId. An order
 * with an originId may have its `proof`.
 */
export type OrderInput = unknown;

export const REFERENCE_MAX_LENGTH = 64;

const LONE_SURROGATE = /\p{Cs}/u;

/** A valid order; an order with a reference has no originId until the journal has bound one. */
export type PreparedOrder =
  | { readonly by: 'origin-id'; readonly order: ProvenOrder; readonly warnings: readonly OrderIssue[] }
  | {
      readonly by: 'reference';
      readonly reference: string;
      readonly withOriginId: (originId: number) => ReadOrder;
      readonly warnings: readonly OrderIssue[];
    };

export type ReadOrder =
  | { readonly ok: true; readonly prepared: PreparedOrder }
  | { readonly ok: false; readonly issues: readonly OrderIssue[] };

/** Validates an order without any server: all wrong fields at once, by path, without values. */
export function readOrder(input: OrderInput, limits: OrderLimits): ReadOrder {
  if (!isObject(input) || !Object.hasOwn(input, 'reference')) return readIdentified(input, limits);
  const { reference, ...rest } = input;
  const issues: OrderIssue[] = [];
  const rule = referenceRule(reference);
  if (rule !== null) issues.push({ path: 'reference', rule });
  if (Object.hasOwn(rest, 'originId')) {
    issues.push({ path: 'reference', rule: 'replaces originId: give one of the two' });
  }
  if (Object.hasOwn(rest, 'proof')) {
    issues.push({
      path: 'proof',
      rule: 'covers the originId: an order with a reference is signed once it is bound',
    });
  }
  // A placeholder, any allowed originId: the journal's comes later.
  const read = readIdentified({ ...rest, originId: limits.originIdMin }, limits);
  if (!read.ok) issues.push(...read.issues);
  if (!read.ok || issues.length > 0 || typeof reference !== 'string') return { ok: false, issues };
  return {
    ok: true,
    prepared: {
      by: 'reference',
      reference,
      withOriginId: (originId) => readIdentified({ ...rest, originId }, limits),
      warnings: read.prepared.warnings,
    },
  };
}

function readIdentified(input: unknown, limits: OrderLimits): ReadOrder {
  const validated = validateOrder(input, limits);
  if (!validated.ok) {
    const issues = validated.issues.map((issue) =>
      issue.path === 'originId' && issue.rule === 'is required'
        ? { path: 'originId', rule: 'is required (or a reference in its place)' }
        : issue,
    );
    return { ok: false, issues };
  }
  const { order, proof, warnings } = validated;
  return { ok: true, prepared: { by: 'origin-id', order: withProof(order, proof), warnings } };
}

function referenceRule(reference: unknown): string | null {
  if (typeof reference !== 'string') return 'must be a string';
  const length = Array.from(reference).length;
  if (length < 1 || length > REFERENCE_MAX_LENGTH) return `must have 1 to ${REFERENCE_MAX_LENGTH} characters`;
  if (/\p{Cc}/u.test(reference)) return 'may not contain control characters or line breaks';
  // Half of a surrogate pair has no UTF-8 form: two references could be stored as one.
  return LONE_SURROGATE.test(reference) ? 'is not well-formed Unicode text' : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
