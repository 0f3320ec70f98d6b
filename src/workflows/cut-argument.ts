/** The deepest valid argument is an order: the order, a party, its owner, and the owner's fields. */
const DEPTH_MAX = 4;

/**
 * Empties every object and list that is nested deeper than a valid argument can be. Validation refuses such an argument
 * in any case, and names the same fields. Without the cut, some thousand levels would overflow the stack when the SDK
 * writes the argument as JSON for an activity: every workflow task would fail, and the run would never end.
 */
export function cutArgument(value: unknown, depth = DEPTH_MAX): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // A caller may send bytes instead of JSON. `Object.entries` would list each byte.
  if (ArrayBuffer.isView(value)) return {};
  if (Array.isArray(value)) return depth === 0 ? [] : value.map((item) => cutArgument(item, depth - 1));
  if (depth === 0) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutArgument(item, depth - 1)]));
}
