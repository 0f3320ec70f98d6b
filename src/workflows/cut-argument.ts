/** The deepest valid argument is an order: the order, a party, its owner, and the owner's fields. */
const DEPTH_MAX = 4;

/**
 * A start's argument without the content of what nests deeper than any valid argument. The validation refuses such an
 * argument either way, and names the same fields. Without the cut, no activity could get the argument: writing JSON is
 * recursive, so the stack would overflow at some thousand levels in each task, and the run would never end.
 */
export function cutArgument(value: unknown, depth = DEPTH_MAX): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // Bytes, which a caller sent without JSON; a property for each of them would take long.
  if (ArrayBuffer.isView(value)) return {};
  if (Array.isArray(value)) return depth === 0 ? [] : value.map((item) => cutArgument(item, depth - 1));
  if (depth === 0) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutArgument(item, depth - 1)]));
}
