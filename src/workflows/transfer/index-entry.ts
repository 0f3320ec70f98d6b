import { defineSearchAttributeKey } from '@temporalio/common';
import type { SearchAttributePair, SearchAttributeUpdatePair } from '@temporalio/common';
import { openReasons } from '../../domain/transfer/flags';
import type { TransferState } from '../../domain/transfer/state';
import { giroStatus } from '../../domain/transfer/view';
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

/** The attributes that an upsert must write. */
export function changedAttributes(before: IndexEntry | null, now: IndexEntry): SearchAttributeUpdatePair[] {
  return changedPairs(before, now, {
    status: { key: keys.status, value: now.status },
    originId: { key: keys.originId, value: now.originId },
    movementId: { key: keys.movementId, value: now.movementId },
    networkId: { key: keys.networkId, value: now.networkId },
    attentionReason: { key: keys.attentionReason, value: now.attentionReason },
    needsAttention: { key: keys.needsAttention, value: now.needsAttention },
    openedAtMs: { key: keys.openedAt, value: new Date(now.openedAtMs) },
  });
}

/** All attributes that have a value. */
export function attributesOf(entry: IndexEntry): SearchAttributePair[] {
  return pairsWithValue(changedAttributes(null, entry));
}
