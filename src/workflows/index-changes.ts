import type {
  SearchAttributePair,
  SearchAttributeUpdatePair,
  TypedSearchAttributes,
} from '@temporalio/common';

/** For each field of an index entry, its search attribute. */
export type IndexPairs<Entry> = Readonly<Record<keyof Entry, SearchAttributeUpdatePair>>;

/**
 * The attributes to write, because an upsert costs an event and a database write: those that differ between two
 * entries. `before` null: the run has written none yet. Then every value is written, and every attribute of the start
 * (`found`), because the starter may have written anything.
 */
export function changedPairs<Entry extends object>(
  before: Entry | null,
  now: Entry,
  pairs: IndexPairs<Entry>,
  found: TypedSearchAttributes | null,
): SearchAttributeUpdatePair[] {
  const isFound = (field: keyof Entry): boolean => found?.get(pairs[field].key) !== undefined;
  return (Object.keys(pairs) as (keyof Entry)[])
    .filter((field) =>
      before === null ? now[field] !== null || isFound(field) : before[field] !== now[field],
    )
    .map((field) => pairs[field]);
}

/** The pairs that have a value. */
export function pairsWithValue(pairs: readonly SearchAttributeUpdatePair[]): SearchAttributePair[] {
  return pairs.filter((pair): pair is SearchAttributePair => pair.value !== null);
}
