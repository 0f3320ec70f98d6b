import type { StatementLine } from '../books';

/** A transfer of the journal by the ids that a statement may carry. */
export interface TransferIds {
  readonly originId: number;
  readonly movementId: string | null;
  readonly networkId: string | null;
}

export interface MatchedLines {
  readonly matched: readonly { readonly originId: number; readonly line: StatementLine }[];
  readonly unmatched: readonly StatementLine[];
}

/**
 * Gives each line to the transfer whose id it carries: originId first, then movement id, then network id. `known` are
 * the transfers that have an id of one of these lines, in any order. An id that several transfers share belongs to
 * the first of them (they are a DUPLICATE as well), so no line is counted twice.
 */
export function matchLines(lines: readonly StatementLine[], known: readonly TransferIds[]): MatchedLines {
  const inOrder = [...known].sort((a, b) => a.originId - b.originId);
  const originIds = new Set(inOrder.map(({ originId }) => originId));
  const byMovement = firstBy(inOrder, ({ movementId }) => movementId);
  const byNetwork = firstBy(inOrder, ({ networkId }) => networkId);
  const matched: { originId: number; line: StatementLine }[] = [];
  const unmatched: StatementLine[] = [];
  for (const line of lines) {
    const own = line.originId !== null && originIds.has(line.originId) ? line.originId : undefined;
    const originId = own ?? byMovement.get(line.movementId ?? '') ?? byNetwork.get(line.networkId ?? '');
    if (originId === undefined) unmatched.push(line);
    else matched.push({ originId, line });
  }
  return { matched, unmatched };
}

function firstBy(
  transfers: readonly TransferIds[],
  idOf: (transfer: TransferIds) => string | null,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const transfer of transfers) {
    const id = idOf(transfer);
    if (id !== null && id !== '' && !found.has(id)) found.set(id, transfer.originId);
  }
  return found;
}
