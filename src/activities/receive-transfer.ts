import { createBodyText, transferWorkflowId } from '../domain/order';
import { orderFingerprint } from '../domain/order-fingerprint';
import { validateOrder } from '../domain/order-validation';
import type { OrderIssue } from '../domain/order-validation';
import type { KnownPast } from '../domain/transfer/events';
import type { TransferResult } from '../domain/transfer/result';
import type { TransferSettings } from '../domain/transfer/settings';
import type { TransferPast } from '../journal/port';
import type { TransferActivityContext } from './context';
import { startOptionIssues } from './start-options';
import type { StartFacts } from './start-options';

export interface ReceiveTransferInput {
  /** The workflow's argument as it came. */
  readonly order: unknown;
  readonly start: StartFacts;
}

export type ReceivedTransfer =
  | { readonly kind: 'invalid'; readonly issues: readonly OrderIssue[] }
  /** The originId belongs to another order. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'ended'; readonly result: TransferResult }
  | {
      readonly kind: 'open';
      readonly orderSha256: string;
      /** Decimal string with two decimals. */
      readonly amountValue: string;
      readonly settings: TransferSettings;
      readonly past: KnownPast;
    };

/**
 * Judges the order and writes it into the journal, before anything is sent; tells what the journal knows of it.
 * Safe to repeat. Nothing is written for an invalid order.
 */
export function receiveTransfer({ journal, orderLimits, settings }: TransferActivityContext) {
  return async ({ order: input, start }: ReceiveTransferInput): Promise<ReceivedTransfer> => {
    const validated = validateOrder(input, orderLimits);
    const originId = validated.ok ? validated.order.originId : validated.originId;
    const issues = [
      ...startOptionIssues(start, originId === null ? null : transferWorkflowId(originId)),
      ...(validated.ok ? [] : validated.issues),
    ];
    if (issues.length > 0 || !validated.ok) return { kind: 'invalid', issues };

    const { order } = validated;
    const orderSha256 = orderFingerprint(order);
    const opened = await journal.openTransfer({ order, orderSha256, createBody: createBodyText(order) });
    if (opened.kind !== 'open') return opened;
    return {
      kind: 'open',
      orderSha256,
      amountValue: order.body.amount,
      settings,
      past: knownPast(opened.past, settings),
    };
  };
}

function knownPast(past: TransferPast, settings: TransferSettings): KnownPast {
  const { lastKind, sinceLastClaimMs, lastNumber, sends, polls, lastMovement, sinceOpenedMs } = past;
  const longestMs = lastKind === 'create' ? settings.createTimeoutMs : settings.lookupTimeoutMs;
  return {
    lastNumber,
    inFlightMs: sinceLastClaimMs === null ? 0 : Math.max(0, longestMs - sinceLastClaimMs),
    sends,
    sinceFirstSendMs: past.sinceFirstSendMs,
    sinceLastSendMs: past.sinceLastSendMs,
    refusal: past.refusal,
    polls,
    lastMovement,
    sinceOpenedMs,
  };
}
