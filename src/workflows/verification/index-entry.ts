import { defineSearchAttributeKey } from '@temporalio/common';
import type {
  SearchAttributePair,
  SearchAttributeUpdatePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import { openVerificationReasons } from '../../domain/verification/flags';
import type { VerificationState } from '../../domain/verification/state';
import { changedPairs, pairsWithValue } from '../index-changes';

/** Search attributes of verifications (contract section 3): statuses, no personal data. */
const keys = {
  status: defineSearchAttributeKey('GiroKycStatus', 'KEYWORD'),
  attentionReason: defineSearchAttributeKey('GiroAttentionReason', 'KEYWORD'),
  needsAttention: defineSearchAttributeKey('GiroNeedsAttention', 'BOOL'),
  openedAt: defineSearchAttributeKey('GiroOpenedAt', 'DATETIME'),
} as const;

/** The search attributes of a state. Null: the attribute is unset. */
export interface VerificationIndexEntry {
  /** The bank's status, at most 100 characters. */
  readonly status: string | null;
  /** The most urgent open reason. */
  readonly attentionReason: string | null;
  readonly needsAttention: boolean;
  readonly openedAtMs: number;
}

export function verificationIndexEntry(state: VerificationState): VerificationIndexEntry {
  const [reason = null] = openVerificationReasons(state.flags);
  return {
    status: state.last?.status ?? null,
    attentionReason: reason,
    needsAttention: reason !== null,
    openedAtMs: state.openedAtMs,
  };
}

/** The attributes that an upsert must write. `found`: those of the start (`changedPairs`). */
export function changedVerificationAttributes(
  before: VerificationIndexEntry | null,
  now: VerificationIndexEntry,
  found: TypedSearchAttributes | null = null,
): SearchAttributeUpdatePair[] {
  const pairs = {
    status: { key: keys.status, value: now.status },
    attentionReason: { key: keys.attentionReason, value: now.attentionReason },
    needsAttention: { key: keys.needsAttention, value: now.needsAttention },
    openedAtMs: { key: keys.openedAt, value: new Date(now.openedAtMs) },
  };
  return changedPairs(before, now, pairs, found);
}

/** All attributes that have a value. */
export function verificationAttributes(entry: VerificationIndexEntry): SearchAttributePair[] {
  return pairsWithValue(changedVerificationAttributes(null, entry));
}
