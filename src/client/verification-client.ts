import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { isRequestId, verificationWorkflowId } from '../domain/verification/request-id';
import type { VerificationResult } from '../domain/verification/state';
import type { VerificationView } from '../domain/verification/view';
import { verificationHint, verificationStateQuery } from '../workflows/messages';
import type { VerificationHint } from '../workflows/messages';
import { askRun, isNotAnswered } from './ask-run';
import { engineError, isNoExecution, isOverdue } from './engine-errors';
import { verificationLabels } from './run-labels';
import type { StartWorkflowClient } from './start-workflow-client';
import {
  InvalidRequestIdError,
  NoVerificationAnswerError,
  VerificationNotFoundError,
  VerificationStoppedError,
  VerificationWaitTimeoutError,
  InvalidReaderError,
} from './errors';
import { ownResult } from './own-result';
import { parseJson } from '../bank/http/json';
import { ourBank } from '../bank/our-bank';
import { REASON_RULE, readReason } from '../domain/audit-words';
import { OPERATOR_RULE, isOperator } from '../domain/operator';
import type { IdentityVerification } from '../domain/verification/identity-verification';
import type { Journal } from '../journal/journal';

export interface TrackedVerification {
  readonly requestId: string;
  readonly workflowId: string;
  readonly runId: string;
  /** False: the verification was already tracked; it is open or has ended. */
  readonly started: boolean;
}

export interface VerificationClientParts {
  readonly client: Client;
  readonly starter: StartWorkflowClient;
  readonly taskQueue: string;
  readonly callTimeoutMs: number;
  /** The engine's name and address, for messages. */
  readonly server: string;
}

const VERIFICATION_TYPE = 'identityVerification';

/** The verifications' part of `GiroClient`. Every method may be repeated after any failure. */
export class VerificationClient {
  constructor(private readonly parts: VerificationClientParts) {}

  async track(requestId: string): Promise<TrackedVerification> {
    if (!isRequestId(requestId)) throw new InvalidRequestIdError();
    const { starter, taskQueue } = this.parts;
    const workflowId = verificationWorkflowId(requestId);
    try {
      const { handle, started } = await this.call(null, () =>
        starter.startOrAttach(VERIFICATION_TYPE, {
          workflowId,
          taskQueue,
          args: [{ requestId }],
          ...verificationLabels(requestId),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      );
      return { requestId, workflowId, runId: handle.firstExecutionRunId, started };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const { runId } = await this.call(requestId, () => this.handle(requestId).describe());
      return { requestId, workflowId, runId, started: false };
    }
  }

  async wait(
    requestId: string,
    { timeoutMs, runId }: { readonly timeoutMs?: number; readonly runId?: string },
  ): Promise<VerificationResult> {
    const { client, server } = this.parts;
    const handle = this.handle(requestId, runId);
    const deadlineMs = Date.now() + (timeoutMs ?? Infinity);
    try {
      const result = () => handle.result() as Promise<VerificationResult>;
      const outcome = await (timeoutMs === undefined ? result() : client.withDeadline(deadlineMs, result));
      return ownResult(outcome, 'requestId', requestId, verificationWorkflowId(requestId));
    } catch (error) {
      if (error instanceof WorkflowFailedError) throw new VerificationStoppedError(requestId);
      if (timeoutMs !== undefined && isOverdue(error, deadlineMs)) {
        throw new VerificationWaitTimeoutError(requestId, timeoutMs);
      }
      throw isNoExecution(error)
        ? new VerificationNotFoundError(requestId)
        : engineError(error, null, server);
    }
  }

  async state(requestId: string, timeoutMs: number): Promise<VerificationView> {
    const { client, server } = this.parts;
    try {
      return await askRun(client, timeoutMs, () => this.handle(requestId).query(verificationStateQuery));
    } catch (error) {
      if (isNotAnswered(error)) throw new NoVerificationAnswerError(requestId, timeoutMs);
      throw isNoExecution(error)
        ? new VerificationNotFoundError(requestId)
        : engineError(error, null, server);
    }
  }

  hint(requestId: string, hint: VerificationHint): Promise<void> {
    return this.call(requestId, () => this.handle(requestId).signal(verificationHint, hint));
  }

  async stop(requestId: string): Promise<void> {
    await this.call(requestId, () => this.handle(requestId).cancel());
  }

  private handle(requestId: string, runId?: string): WorkflowHandle {
    if (!isRequestId(requestId)) throw new InvalidRequestIdError();
    return this.parts.client.workflow.getHandle(verificationWorkflowId(requestId), runId);
  }

  /** `requestId`: for calls that need an existing run. */
  private async call<T>(requestId: string | null, call: () => Promise<T>): Promise<T> {
    const { client, server, callTimeoutMs } = this.parts;
    try {
      return await client.withDeadline(Date.now() + callTimeoutMs, call);
    } catch (error) {
      if (requestId !== null && isNoExecution(error)) {
        throw new VerificationNotFoundError(requestId, 'no open verification');
      }
      throw engineError(error, null, server);
    }
  }
}

/** The bank's full answer: personal data. */
export interface KeptVerification {
  readonly verification: IdentityVerification;
  /** ISO UTC. */
  readonly keptAt: string;
}

/** Who reads a full answer, and why; recorded before the read, not authenticated here. */
export interface AnswerReader {
  /** 1–100 characters of `A-Za-z0-9._@+-`. */
  readonly operator: string;
  /** One line of 1–200 printable characters, without an account or tax number. */
  readonly reason?: string;
}

export type KeptAnswers = Pick<Journal, 'verificationAnswer' | 'recordAudit'>;

/** The latest full answer that the journal keeps; null: none. */
export async function keptVerification(
  journal: KeptAnswers,
  requestId: string,
  { operator, reason = null }: { readonly operator: string; readonly reason?: string | null },
): Promise<KeptVerification | null> {
  if (!isRequestId(requestId)) throw new InvalidRequestIdError();
  if (!isOperator(operator)) throw new InvalidReaderError(`operator ${OPERATOR_RULE}`);
  const why = reason === null ? null : readReason(reason);
  if (reason !== null && why === null) throw new InvalidReaderError(`reason ${REASON_RULE}`);
  await journal.recordAudit({ action: 'kyc show', subject: requestId, operator, reason: why });
  const kept = await journal.verificationAnswer(requestId);
  if (kept === null) return null;
  const json = parseJson(kept.text);
  const verification = json.ok ? ourBank.verifications.readVerification(json.value) : null;
  if (verification === null) throw new Error('the stored answer is not a verification');
  return { verification, keptAt: kept.keptAt };
}
