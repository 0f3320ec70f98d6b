import { NO_ORDER_LIMITS, transferWorkflowId } from '../domain/order';
import type { TransferOrder } from '../domain/order';
import { bodyFingerprint, orderFingerprint } from '../domain/order-fingerprint';
import { validateOrder } from '../domain/order-validation';
import type { OrderIssue } from '../domain/order-validation';
import { PROOF_FAULTS } from '../domain/transfer/answers';
import type { DecisionRecord } from '../domain/transfer/decisions/decision';
import type { TransferFacts } from '../domain/transfer/facts';
import type { KnownRequests } from '../domain/transfer/records';
import type { TransferResult } from '../domain/transfer/result';
import type { TransferSettings } from '../domain/transfer/settings';
import { judgeProof } from '../order-proofs/order-proof';
import type { OrderSigner } from '../order-proofs/order-signers';
import type { TransferActivityContext } from './context';
import { orRefused } from './journal-refusal';
import type { JournalRefusal } from './journal-refusal';
import { startOptionIssues } from './start-options';
import type { StartFacts } from './start-options';

export interface ReceiveTransferInput {
  /** The workflow's argument as received. */
  readonly order: unknown;
  readonly start: StartFacts;
  /** Absent: the run has made no request. */
  readonly known?: KnownRequests;
  /** Decisions that the run has taken up and not recorded yet. Absent: none. */
  readonly unwritten?: readonly DecisionRecord[];
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
      /** Null: a new transfer, of which the journal holds nothing else. */
      readonly facts: TransferFacts | null;
      readonly journalId: string;
    }
  | { readonly kind: 'refused'; readonly refusal: JournalRefusal };

/**
 * Validates the order and writes it into the journal, before anything is sent; returns what the journal knows of the
 * transfer. Safe to repeat. Writes nothing for an invalid order. Limits that were tightened later do not stop the run
 * of an order that is in the journal, because the order was valid at its receipt. If a run may have sent an order that
 * the journal has lost, such limits do not stop the run either. The order's proof is stored with the order, and
 * verified again before each create.
 */
export function receiveTransfer({
  bank,
  journal,
  orderLimits,
  orderSigners,
  settings,
  observer,
}: Pick<
  TransferActivityContext,
  'bank' | 'journal' | 'orderLimits' | 'orderSigners' | 'settings' | 'observer'
>) {
  const invalid = (originId: number | null, issues: readonly OrderIssue[]): ReceivedTransfer => {
    observer?.orderRefused?.({ originId, issues });
    return { kind: 'invalid', issues };
  };
  return async ({
    order: input,
    start,
    known,
    unwritten,
  }: ReceiveTransferInput): Promise<ReceivedTransfer> => {
    const validated = validateOrder(input, orderLimits);
    const originId = validated.ok ? validated.order.originId : validated.originId;
    const startIssues = startOptionIssues(start, originId === null ? null : transferWorkflowId(originId));
    const readable = validated.ok ? validated : validateOrder(input, NO_ORDER_LIMITS);
    const issues = [
      ...startIssues,
      ...(validated.ok ? [] : validated.issues),
      ...(readable.ok ? await proofIssues(orderSigners(), readable) : []),
    ];
    if (startIssues.length > 0 || !readable.ok) return invalid(originId, issues);

    const { order, proof } = readable;
    const orderSha256 = orderFingerprint(order);
    const bodySha256 = bodyFingerprint(bank.createBody(order));
    const wasTaken = known !== undefined;
    const opened = await orRefused(() =>
      journal.openTransfer({
        ...{ order, proof, orderSha256, bodySha256, mayBeNew: issues.length === 0 || wasTaken },
        ...(wasTaken ? { known } : {}),
        ...(unwritten === undefined ? {} : { unwritten }),
      }),
    );
    if (opened.kind === 'unknown') return invalid(originId, issues);
    if (opened.kind !== 'open') return opened;
    return { ...opened, orderSha256, amountValue: order.body.amount, settings };
  };
}

/** For a new order, which is received now. */
async function proofIssues(
  signers: readonly OrderSigner[] | null,
  { order, proof }: { readonly order: TransferOrder; readonly proof: string | null },
): Promise<readonly OrderIssue[]> {
  if (signers === null) return [];
  const fault = await judgeProof(signers, { order, proof, receivedAt: new Date() });
  return fault === null ? [] : [{ path: 'proof', rule: PROOF_FAULTS[fault] }];
}
