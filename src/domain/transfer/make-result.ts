import type { FinalMovementStatus } from '../movement';
import type { SeenMovement } from './answers';
import { clear } from './flags';
import type { TransferResult, TransferResultStatus } from './result';
import { NO_IDS } from './movement-status';
import type { Sends, TransferState } from './state';
import { lastMovement } from './decisions/decision-table';
import type { ProposedAction } from './decisions/decision';

function result(
  state: TransferState,
  status: TransferResultStatus,
  rest: Partial<TransferResult>,
): TransferResult {
  if (state.orderSha256 === null) throw new Error('a transfer cannot end before its order is in the journal');
  return {
    originId: state.originId,
    status,
    movementId: state.bank.movementId,
    network: state.bank.network,
    networkId: state.bank.networkId,
    amount: state.amount,
    annulmentId: null,
    decidedBy: 'bank',
    reason: null,
    orderSha256: state.orderSha256,
    ...rest,
  };
}

/** The bank gave a final status and its echo matches. `annulmentId` comes with the annulment. */
export function bankResult(
  state: TransferState,
  status: FinalMovementStatus,
  seen: SeenMovement,
): TransferResult {
  return result(state, status, {
    movementId: seen.movementId ?? state.bank.movementId,
    network: seen.network ?? state.bank.network,
    networkId: seen.networkId ?? state.bank.networkId,
  });
}

/** The bank did not accept the only send, and look-ups found nothing. */
export const refusedResult = (state: TransferState): TransferResult =>
  result(state, 'REFUSED', { ...NO_IDS, reason: reasonOfRefusal(state.sends.refusal) });

/** The reason of a REFUSED by the bank. */
export const reasonOfRefusal = (refusal: Sends['refusal']): string | null =>
  refusal === null ? null : `HTTP ${refusal.httpStatus}${refusal.code === null ? '' : ` ${refusal.code}`}`;

export const WITHDRAWN_REASON = 'cancelled before it was sent';

/** Cancelled before anything was sent: neither the bank nor two operators decided. */
const withdrawnResult = (state: TransferState): TransferResult =>
  result(state, 'WITHDRAWN', { decidedBy: null, reason: WITHDRAWN_REASON });

/** The journal has granted the withdrawal: the order is never sent. */
export const withdrawn = (
  state: TransferState,
  { number, atMs }: { readonly number: number; readonly atMs: number },
): TransferState => ({
  ...state,
  requests: { ...state.requests, lastNumber: number, lastEndedAtMs: atMs },
  flags: clear(state.flags, 'ORDER_TAMPERED'),
  stage: {
    name: 'ending',
    result: withdrawnResult(state),
    evidenceNumber: number,
    operators: [],
    sinceMs: atMs,
  },
});

const DECIDED_STATUS: Record<Exclude<ProposedAction, 'resend'>, TransferResultStatus> = {
  'accept-completed': 'COMPLETED',
  'accept-failed': 'FAILED',
  'accept-not-taken': 'REFUSED',
};

/** Two operators decided. COMPLETED and FAILED have the ids of the bank's last answer, REFUSED has none. */
export function operatorsResult(
  state: TransferState,
  action: Exclude<ProposedAction, 'resend'>,
  reason: string,
): TransferResult {
  const seen = action === 'accept-not-taken' ? null : lastMovement(state);
  return result(state, DECIDED_STATUS[action], {
    movementId: seen?.movementId ?? null,
    network: seen?.network ?? null,
    networkId: seen?.networkId ?? null,
    decidedBy: 'operators',
    reason,
  });
}

/** The journal holds this end: the transfer has ended. */
export function recordedResult(state: TransferState, result: TransferResult): TransferState {
  const { movementId, network, networkId, orderSha256 } = result;
  return {
    ...state,
    orderSha256,
    bank: { ...state.bank, movementId, network, networkId },
    flags: {},
    stage: { name: 'ended', result },
  };
}
