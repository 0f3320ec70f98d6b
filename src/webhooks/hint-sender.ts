import { NamespaceNotFoundError, WorkflowNotFoundError, isGrpcServiceError } from '@temporalio/client';
import type { Client } from '@temporalio/client';

/** A workflow that a notification may be about. */
export interface HintTarget {
  readonly workflowId: string;
  readonly signal: 'movementHint' | 'verificationHint';
}

/**
 * `taken`: the engine has it, durably; `not-open`: there is no such run; `refused`: the engine does not take this very
 * hint now; `unreachable`: not known to be taken, nor is the next one likely to be.
 */
export type HintEnd = 'taken' | 'not-open' | 'refused' | 'unreachable';

/** Hands a hint to the engine. Does not throw for what the engine or the network does. */
export type HintSender = (target: HintTarget, eventId: string) => Promise<HintEnd>;

export const transferTarget = (originId: number): HintTarget => ({
  workflowId: `transfer-${originId}`,
  signal: 'movementHint',
});

export const verificationTarget = (requestId: string): HintTarget => ({
  workflowId: `kyc-${requestId}`,
  signal: 'verificationHint',
});

/** A signal is one write of the engine; it answers in milliseconds or is in trouble. */
const SIGNAL_TIMEOUT_MS = 5_000;

/** INVALID_ARGUMENT and FAILED_PRECONDITION of gRPC: about this hint (a run with too many signals, say), not the engine. */
const REFUSALS: ReadonlySet<number> = new Set([3, 9]);

/** Told how the engine answers, for the log. */
export interface EngineWatch {
  readonly answered: () => void;
  readonly failed: (reason: string) => void;
}

/** Hints as signals of the engine. */
export function signalHints(client: Client, watch: EngineWatch): HintSender {
  return async ({ workflowId, signal }, eventId) => {
    try {
      await client.withDeadline(Date.now() + SIGNAL_TIMEOUT_MS, () =>
        client.workflow.getHandle(workflowId).signal(signal, { source: 'webhook', eventId }),
      );
      watch.answered();
      return 'taken';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) {
        watch.answered();
        return 'not-open';
      }
      if (error instanceof NamespaceNotFoundError) {
        watch.failed('no such namespace');
        return 'unreachable';
      }
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      if (!isGrpcServiceError(cause)) throw error;
      if (REFUSALS.has(cause.code)) {
        watch.answered();
        return 'refused';
      }
      // The code's number alone: the words of a refusal could hold anything.
      watch.failed(`gRPC status ${cause.code}`);
      return 'unreachable';
    }
  };
}
