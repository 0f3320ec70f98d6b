/** How a debit without an order is identified. */
export interface OrphanIds {
  readonly originIds: readonly number[];
  readonly movementIds: readonly string[];
  readonly networkIds: readonly string[];
}

/** What distinguishes one debit without an order from another; stored in the `fact` of its break. */
export interface OrphanFact extends OrphanIds {
  /** `accountMark` of the account that was debited; null: not known. */
  readonly account: string | null;
  /** Number among the otherwise equal lines of a file. */
  readonly ordinal: number;
}

/** The same text for the same ids in any order. */
export function writeOrphanFact({
  movementIds,
  networkIds,
  originIds,
  account,
  ordinal,
}: OrphanFact): string {
  return JSON.stringify({
    ...(movementIds.length === 0 ? {} : { movementIds: [...new Set(movementIds)].sort() }),
    ...(networkIds.length === 0 ? {} : { networkIds: [...new Set(networkIds)].sort() }),
    ...(originIds.length === 0 ? {} : { originIds: [...new Set(originIds)].sort((a, b) => a - b) }),
    ...(account === null ? {} : { account }),
    ...(ordinal === 1 ? {} : { ordinal }),
  });
}

export function readOrphanFact(fact: string): OrphanFact {
  const written = fact === '' ? {} : (JSON.parse(fact) as Partial<OrphanFact>);
  return { movementIds: [], networkIds: [], originIds: [], account: null, ordinal: 1, ...written };
}

/** Merges two reports of one debit. */
export function uniteOrphanFacts(known: string, reported: string): string {
  const [a, b] = [readOrphanFact(known), readOrphanFact(reported)];
  return writeOrphanFact({
    movementIds: [...a.movementIds, ...b.movementIds],
    networkIds: [...a.networkIds, ...b.networkIds],
    originIds: [...a.originIds, ...b.originIds],
    account: a.account ?? b.account,
    ordinal: Math.max(a.ordinal, b.ordinal),
  });
}
