import { NamespaceNotFoundError, WorkflowNotFoundError, isGrpcServiceError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { transferWorkflowId } from '../domain/order';
import { verificationWorkflowId } from '../domain/verification/request-id';

/** A workflow that a notification may be about. */
export interface HintTarget {
  readonly workflowId: string;
  readonly signal: 'movementHint' | 'verificationHint';
}

/**
 * `taken`: Temporal has stored the hint; `not-open`: no such open run; `refused`: Temporal refuses this hint now;
 * `unreachable`: perhaps not stored, and the next hint will probably fail too.
 */
export type HintEnd = 'taken' | 'not-open' | 'refused' | 'unreachable';

/** Sends a hint to Temporal. Never throws. */
export type HintSender = (target: HintTarget, eventId: string) => Promise<HintEnd>;

export const transferTarget = (originId: number): HintTarget => ({
  workflowId: transferWorkflowId(originId),
  signal: 'movementHint',
});

export const verificationTarget = (requestId: string): HintTarget => ({
  workflowId: verificationWorkflowId(requestId),
  signal: 'verificationHint',
});

/** A signal is one write in Temporal, which answers in milliseconds unless it has a problem. */
const SIGNAL_TIMEOUT_MS = 5_000;

/**
 * INVALID_ARGUMENT and FAILED_PRECONDITION of gRPC: about this hint (e.g. a run with too many signals), not about
 * Temporal.
 */
const REFUSALS: ReadonlySet<number> = new Set([3, 9]);

/** Called with Temporal's answers, for the log. */
export interface EngineWatch {
  readonly answered: () => void;
  readonly failed: (reason: string) => void;
}

/** Sends hints as Temporal signals. */
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
      // Only the number of the code: the text of a refusal could contain anything.
      watch.failed(`gRPC status ${cause.code}`);
      return 'unreachable';
    }
  };
}
