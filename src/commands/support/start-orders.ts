import { types } from 'node:util';
import {
  InvalidTransferOrderError,
  OriginIdConflictError,
  ServerUnreachableError,
  WaitTimeoutError,
} from '../../client/errors';
import { grpcCode } from '../../client/engine-errors';
import type { GiroClient, StartedTransfer } from '../../client/giro-client';
import type { TransferResult } from '../../domain/transfer/result';
import { inParallel } from '../../activities/in-parallel';
import type { GoodOrder } from './input/read-orders';

/** The outcome of starting one order. */
export type StartOutcome = { readonly order: GoodOrder } & (
  | { readonly kind: 'started' | 'already-there'; readonly transfer: StartedTransfer }
  /** The order breaks a rule, or its id belongs to another order: not started. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** Temporal became unreachable, or failed: the order may have started. */
  | { readonly kind: 'unknown'; readonly error: Error }
  | { readonly kind: 'not-started'; readonly error: Error }
  /** Left out after a server was lost. */
  | { readonly kind: 'not-tried' }
);

const STARTS_AT_ONCE = 20;

/**
 * Starts the orders in the order of the input, up to twenty at a time. After a failure that concerns all of them (a
 * server is lost), starts no further ones.
 */
export async function startOrders(
  giro: Pick<GiroClient, 'startTransfer'>,
  orders: readonly GoodOrder[],
  onOutcome: (outcome: StartOutcome) => void,
): Promise<readonly StartOutcome[]> {
  const outcomes: StartOutcome[] = orders.map((order) => ({ order, kind: 'not-tried' }));
  let lost = false;
  await inParallel(orders, STARTS_AT_ONCE, async (order, index) => {
    if (lost) return;
    const outcome = await startOne(giro, order);
    if (outcome.kind === 'unknown' || outcome.kind === 'not-started') lost = true;
    outcomes[index] = outcome;
    onOutcome(outcome);
  });
  return outcomes;
}

async function startOne(giro: Pick<GiroClient, 'startTransfer'>, order: GoodOrder): Promise<StartOutcome> {
  try {
    const transfer = await giro.startTransfer(order.input);
    return { order, kind: transfer.started ? 'started' : 'already-there', transfer };
  } catch (error) {
    if (!types.isNativeError(error)) throw error;
    if (error instanceof InvalidTransferOrderError || error instanceof OriginIdConflictError) {
      return { order, kind: 'refused', error };
    }
    const isUnknown = error instanceof ServerUnreachableError || grpcCode(error) !== null;
    return { order, kind: isUnknown ? 'unknown' : 'not-started', error };
  }
}

/** How the wait for one transfer ended. */
export type WaitOutcome = { readonly transfer: StartedTransfer } & (
  | { readonly kind: 'ended'; readonly result: TransferResult }
  | { readonly kind: 'no-result'; readonly error: Error }
);

/** Each wait is a long poll; the server allows some hundreds of them for each connection. */
const WAITS_AT_ONCE = 100;
/** After the deadline each transfer is checked once more. */
const LAST_LOOK_MS = 1_000;

/** Waits for all of them. `timeoutMs` limits the total wait; null: as long as it takes. */
export async function waitForAll(
  giro: Pick<GiroClient, 'waitForTransfer'>,
  transfers: readonly StartedTransfer[],
  timeoutMs: number | null,
  onOutcome: (outcome: WaitOutcome) => void,
): Promise<ReadonlyMap<StartedTransfer, WaitOutcome>> {
  const deadline = timeoutMs === null ? null : performance.now() + timeoutMs;
  const outcomes = new Map<StartedTransfer, WaitOutcome>();
  await inParallel(transfers, WAITS_AT_ONCE, async (transfer) => {
    const { originId, runId } = transfer;
    const rest =
      deadline === null ? {} : { timeoutMs: Math.max(Math.ceil(deadline - performance.now()), LAST_LOOK_MS) };
    let outcome: WaitOutcome;
    try {
      outcome = { transfer, kind: 'ended', result: await giro.waitForTransfer(originId, { runId, ...rest }) };
    } catch (error) {
      if (!types.isNativeError(error)) throw error;
      // Report the time-out of the entire call, not what was left of it for this transfer.
      const isOpen = timeoutMs !== null && error instanceof WaitTimeoutError;
      outcome = {
        transfer,
        kind: 'no-result',
        error: isOpen ? new WaitTimeoutError(originId, timeoutMs) : error,
      };
    }
    outcomes.set(transfer, outcome);
    onOutcome(outcome);
  });
  return outcomes;
}
