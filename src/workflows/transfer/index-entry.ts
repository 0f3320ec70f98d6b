import { defineSearchAttributeKey } from '@temporalio/common';
import type {
  SearchAttributePair,
  SearchAttributeUpdatePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import { isFinalStatus } from '../../domain/movement';
import { openReasons } from '../../domain/transfer/flags';
import type { TransferState } from '../../domain/transfer/state';
import { giroStatus, nextRequestDueMs } from '../../domain/transfer/view';
import { changedPairs, pairsWithValue } from '../index-changes';

/** Search attributes of transfers (contract section 3): identifiers and statuses, no personal data. */
const keys = {
  status: defineSearchAttributeKey('GiroStatus', 'KEYWORD'),
  originId: defineSearchAttributeKey('GiroOriginId', 'KEYWORD'),
  movementId: defineSearchAttributeKey('GiroMovementId', 'KEYWORD'),
  networkId: defineSearchAttributeKey('GiroNetworkId', 'KEYWORD'),
  attentionReason: defineSearchAttributeKey('GiroAttentionReason', 'KEYWORD'),
  needsAttention: defineSearchAttributeKey('GiroNeedsAttention', 'BOOL'),
  openedAt: defineSearchAttributeKey('GiroOpenedAt', 'DATETIME'),
} as const;

/** The search attributes of a state. Null: the attribute is unset. */
export interface IndexEntry {
  readonly status: string;
  readonly originId: string;
  readonly movementId: string | null;
  readonly networkId: string | null;
  /** The most urgent open reason. */
  readonly attentionReason: string | null;
  readonly needsAttention: boolean;
  readonly openedAtMs: number;
}

export function indexEntry(state: TransferState): IndexEntry {
  const [reason = null] = openReasons(state.flags);
  return {
    status: giroStatus(state),
    originId: String(state.originId),
    movementId: state.bank.movementId,
    networkId: state.bank.networkId,
    attentionReason: reason,
    needsAttention: reason !== null,
    openedAtMs: state.openedAtMs,
  };
}

/** The attributes that an upsert must write. `found`: those of the start (`changedPairs`). */
function changedAttributes(
  before: IndexEntry | null,
  now: IndexEntry,
  found: TypedSearchAttributes | null,
): SearchAttributeUpdatePair[] {
  const pairs = {
    status: { key: keys.status, value: now.status },
    originId: { key: keys.originId, value: now.originId },
    movementId: { key: keys.movementId, value: now.movementId },
    networkId: { key: keys.networkId, value: now.networkId },
    attentionReason: { key: keys.attentionReason, value: now.attentionReason },
    needsAttention: { key: keys.needsAttention, value: now.needsAttention },
    openedAtMs: { key: keys.openedAt, value: new Date(now.openedAtMs) },
  };
  return changedPairs(before, now, pairs, found);
}

/** All attributes that have a value. */
export function attributesOf(entry: IndexEntry): SearchAttributePair[] {
  return pairsWithValue(changedAttributes(null, entry, null));
}

/** Before its receipt a transfer has this phase as its status. */
const RECEIVED = 'received';

const entryAtStart = (originId: number, openedAtMs: number): IndexEntry => ({
  ...{ status: RECEIVED, originId: String(originId), openedAtMs },
  ...{ movementId: null, networkId: null, attentionReason: null, needsAttention: false },
});

/** The attributes that a start writes in place of the run. `atMs`: by the caller's clock, ms since 1970. */
export const startAttributes = (originId: number, atMs: number): SearchAttributePair[] =>
  attributesOf(entryAtStart(originId, atMs));

/** The entry that the start wrote; null: the starter wrote none, or a different one. */
export function entryOfStart(attributes: TypedSearchAttributes, originId: number): IndexEntry | null {
  const openedAt = attributes.get(keys.openedAt);
  if (openedAt === undefined) return null;
  const entry = entryAtStart(originId, openedAt.getTime());
  const expected = attributesOf(entry);
  const isOurs =
    expected.length === attributes.getAll().length &&
    expected.every(({ key, value }) => String(attributes.get(key)) === String(value));
  return isOurs ? entry : null;
}

/**
 * Whether the start wrote a wrong attribute, such as a status copied from another run. `GiroOpenedAt` is not compared,
 * because the start has it from the starter's clock.
 */
export function isMisleading(attributes: TypedSearchAttributes, state: TransferState): boolean {
  const { openedAtMs: _, ...now } = indexEntry(state);
  return (Object.keys(now) as (keyof typeof now)[]).some((field) => {
    const value = attributes.get(keys[field]);
    return value !== undefined && value !== now[field];
  });
}

/** The indexed entry of a run, and when it was written. */
export interface Indexed {
  /** Null: no entry was written yet. */
  readonly entry: IndexEntry | null;
  /** Number of the last request when the entry was written. */
  readonly requests: number;
  readonly ms: number;
  /** The start wrote an entry. If it wrote none, each change is written at once. */
  readonly isByStart: boolean;
}

/**
 * The index after a change of the state, and the attributes to write; none while the index may lag. `found`: the
 * attributes of the run's start; default: none.
 */
export function indexedNow(
  indexed: Indexed,
  state: TransferState,
  { nowMs, found = null }: { readonly nowMs: number; readonly found?: TypedSearchAttributes | null },
): { readonly indexed: Indexed; readonly changes: readonly SearchAttributeUpdatePair[] } {
  const entry = indexEntry(state);
  const { entry: before, isByStart } = indexed;
  const changes = changedAttributes(before, entry, found);
  const lags =
    changes.length > 0 &&
    before !== null &&
    isByStart &&
    mayLag(state, { indexed: before, now: entry }, { at: indexed, nowMs });
  if (lags) return { indexed, changes: [] };
  return { indexed: { entry, requests: state.requests.lastNumber, ms: nowMs, isByStart }, changes };
}

/** Longer than a create and the gap after it. A change that would wait longer is written at once. */
const LAG_MAX_MS = 60_000;

/**
 * Whether an active transfer's search attributes may stay unchanged until its next request has ended. So a status that
 * the next answer replaces is never written: each write costs Temporal as much as a step. Flags, finals and DELAYED are
 * written at once.
 */
export function mayLag(
  state: TransferState,
  { indexed, now }: { readonly indexed: IndexEntry; readonly now: IndexEntry },
  { at, nowMs }: { readonly at: Pick<Indexed, 'requests' | 'ms'>; readonly nowMs: number },
): boolean {
  const { status } = state.bank;
  const dueMs = nextRequestDueMs(state);
  return (
    indexed.attentionReason === now.attentionReason &&
    state.stage.name !== 'ended' &&
    status !== 'DELAYED' &&
    (status === null || !isFinalStatus(status)) &&
    dueMs !== null &&
    Math.max(dueMs, nowMs) - at.ms <= LAG_MAX_MS &&
    state.requests.lastNumber - at.requests <= 1
  );
}
