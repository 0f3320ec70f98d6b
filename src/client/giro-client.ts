import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { DEFAULT_ORDER_LIMITS, transferWorkflowId, withProof } from '../domain/order';
import type { OrderLimits, ProvenOrder } from '../domain/order';
import { orderFingerprint } from '../domain/order-fingerprint';
import { PROOF_RULE, proofKeyId } from '../domain/order-proof';
import type { DecisionAnswer, DecisionRequest } from '../domain/transfer/decisions/decision';
import { decisionLine } from '../domain/transfer/decisions/decision-line';
import type { TransferResult } from '../domain/transfer/result';
import type { TransferView } from '../domain/transfer/view';
import type { VerificationResult } from '../domain/verification/state';
import type { VerificationView } from '../domain/verification/view';
import type { GiroEvent } from '../journal/event-feed';
import { elapsedSince } from '../journal/elapsed';
import { BindingsMayBeLost, JournalUnavailable } from '../journal/errors';
import type { Journal } from '../journal/journal';
import type { SignOrder } from '../order-proofs/signing-key';
import { movementHint, stateQuery } from '../workflows/messages';
import type { MovementHint, VerificationHint } from '../workflows/messages';
import { askRun, isNotAnswered } from './ask-run';
import {
  GRPC,
  decisionFailure,
  engineError,
  grpcCode,
  isNoWorker,
  isOverdue,
  runFailure,
} from './engine-errors';
import {
  DecisionRefusedError,
  InvalidTransferOrderError,
  JournalNeededError,
  NoWorkerAnswerError,
  OriginIdConflictError,
  TransferNotFoundError,
  WaitTimeoutError,
} from './errors';
import { orderSha256OfRun } from './existing-order';
import { ownResult } from './own-result';
import { followEvents } from './follow-events';
import type { FollowOptions } from './follow-events';
import { keptVerification, VerificationClient } from './verification-client';
import type { AnswerReader, KeptAnswers, KeptVerification, TrackedVerification } from './verification-client';
import {
  findLostReferences,
  LIST_TIMEOUT_MS,
  referenceMemo,
  START_CALL_MAX_MS,
  START_WITHIN_MS,
  startedByReference,
} from './lost-references';
import { readOrder } from './order-input';
import type { OrderInput } from './order-input';
import { transferLabels } from './run-labels';
import { sendDecision } from './send-decision';
import { StartWorkflowClient } from './start-workflow-client';
import type { AmendStartRequest } from './start-workflow-client';

/**
 * The functions of the journal that a client needs: binding references to originIds (`orderSha256` shows which order
 * a bound reference belongs to), the events, and full answers of verifications.
 */
export type ReferenceJournal = Pick<
  Journal,
  'bindReference' | 'noteLostReferences' | 'markBindingsKnown' | 'orderSha256' | 'events'
> &
  KeptAnswers;

export interface GiroClientOptions {
  /** A connected Temporal client; the caller closes it. */
  readonly client: Client;
  /** `GIRO_TASK_QUEUE`; default `giro`. */
  readonly taskQueue?: string;
  /** The worker also checks its own limits; default: those of the contract. */
  readonly orderLimits?: OrderLimits;
  /** Needed for orders that carry a `reference`, for events, and for full answers of verifications. */
  readonly journal?: ReferenceJournal | null;
  /**
   * Signs orders that have no `proof` (`readSigningKey`). An order with a `reference` is signed once its originId is
   * bound. `startTransfer` throws what `signOrder` throws. Default: orders are not signed.
   */
  readonly signOrder?: SignOrder | null;
  /** Time-out of one call to Temporal, in ms; default 10000. */
  readonly callTimeoutMs?: number;
  readonly amendStartRequest?: AmendStartRequest;
}

export interface StartedTransfer {
  readonly originId: number;
  /** Null: the order came with its own originId. */
  readonly reference: string | null;
  readonly workflowId: string;
  readonly runId: string;
  /** False: this order was already started; it is open or has ended. */
  readonly started: boolean;
}

const TRANSFER_TYPE = 'transfer';
const CALL_TIMEOUT_MS = 10_000;
const STATE_TIMEOUT_MS = 5_000;
const NO_OPEN_TRANSFER = 'no open transfer';
/** A create may be in flight, and a decision waits for its end. */
const DECIDE_TIMEOUT_MS = 60_000;
/** Less than the allowed hour, because clocks differ. */
const SIGNATURE_LIFE_MS = 55 * 60_000;
const EVENTS_LIMIT = 100;
const EVENTS_LIMIT_MAX = 10_000;
/** An existing run can disappear meanwhile (retention, deletion): then the start is repeated. */
const START_ATTEMPTS_MAX = 3;

/** `line`: the text to sign, with its line feed. `decision`: the argument of `decide`, once the signature is added. */
export interface DecisionToSign {
  readonly line: string;
  readonly decision: Required<Omit<DecisionRequest, 'signature'>>;
}

/**
 * Transfers for backend services. The same order is the same transfer, whoever starts it and however often. Every
 * method may be repeated after any failure, except `decide` where its error says to check the transfer first.
 */
export class GiroClient {
  readonly #client: Client;
  readonly #starter: StartWorkflowClient;
  readonly #taskQueue: string;
  readonly #limits: OrderLimits;
  readonly #journal: ReferenceJournal | null;
  readonly #signOrder: SignOrder | null;
  readonly #callTimeoutMs: number;
  readonly #server: string;
  readonly #verifications: VerificationClient;
  /** The search for lost references in progress; null: none. */
  #search: Promise<void> | null = null;

  constructor(options: GiroClientOptions) {
    this.#client = options.client;
    this.#starter = new StartWorkflowClient(options.client, options.amendStartRequest);
    this.#taskQueue = options.taskQueue ?? 'giro';
    this.#limits = options.orderLimits ?? DEFAULT_ORDER_LIMITS;
    this.#journal = options.journal ?? null;
    this.#signOrder = options.signOrder ?? null;
    this.#callTimeoutMs = options.callTimeoutMs ?? CALL_TIMEOUT_MS;
    this.#server = serverName(options.client);
    this.#verifications = new VerificationClient({
      client: this.#client,
      starter: this.#starter,
      taskQueue: this.#taskQueue,
      callTimeoutMs: this.#callTimeoutMs,
      server: this.#server,
    });
  }

  /**
   * Starts the transfer of an order, or finds the existing one of the same order.
   *
   * @throws InvalidTransferOrderError the order breaks rules: nothing was sent anywhere
   * @throws OriginIdConflictError the order's originId or reference belongs to another order
   * @throws JournalNeededError the order has a reference, and the client has no journal
   * @throws JournalNotReady the journal lacks a grant or a migration, or its next originId is outside `orderLimits`
   * @throws ServerUnreachableError, JournalUnavailable the transfer may or may not have started: repeat
   */
  async startTransfer(input: OrderInput): Promise<StartedTransfer> {
    const { order: bare, bound } = await this.#identify(input);
    const reference = bound?.reference ?? null;
    const order = await this.#signed(bare);
    const workflowId = transferWorkflowId(order.originId);
    const orderSha256 = orderFingerprint(order);
    for (let attempt = 1; ; attempt++) {
      try {
        const { runId, started } = await this.#startOrFind(workflowId, order, bound);
        if (!started) {
          const running = await this.#call(order.originId, () =>
            orderSha256OfRun(this.#client, { workflowId, runId }),
          );
          if (running !== orderSha256) throw new OriginIdConflictError(order.originId, reference);
        }
        return { originId: order.originId, reference, workflowId, runId, started };
      } catch (error) {
        if (!(error instanceof TransferNotFoundError) || attempt === START_ATTEMPTS_MAX) throw error;
      }
    }
  }

  /**
   * Waits for the end of a transfer, and returns its result, whichever of the four it is. Without `timeoutMs` it
   * waits as long as it takes (a DELAYED transfer may take days). `runId`, as returned by `startTransfer`, ties the
   * wait to that start; default: the newest run.
   *
   * @throws WaitTimeoutError still open after `timeoutMs`
   * @throws TransferNotFoundError, TransferRunLostError, ServerUnreachableError
   * @throws ForeignResultError the engine has another transfer's result in the place of this one
   * @throws InvalidTransferOrderError, OriginIdConflictError the worker refused the order; nothing was sent
   */
  async waitForTransfer(
    originId: number,
    { timeoutMs, runId }: { readonly timeoutMs?: number; readonly runId?: string } = {},
  ): Promise<TransferResult> {
    const workflowId = transferWorkflowId(originId);
    const handle = this.#client.workflow.getHandle(workflowId, runId);
    const deadlineMs = Date.now() + (timeoutMs ?? Infinity);
    try {
      const wait = () => handle.result() as Promise<TransferResult>;
      const result = await (timeoutMs === undefined ? wait() : this.#client.withDeadline(deadlineMs, wait));
      return ownResult(result, 'originId', originId, workflowId);
    } catch (error) {
      if (error instanceof WorkflowFailedError) throw runFailure(error, originId);
      if (timeoutMs !== undefined && isOverdue(error, deadlineMs)) {
        throw new WaitTimeoutError(originId, timeoutMs);
      }
      throw engineError(error, originId, this.#server);
    }
  }

  /**
   * The live view of a transfer: query `state`, answered by a worker, also for an ended one.
   *
   * @throws NoWorkerAnswerError, TransferNotFoundError, ServerUnreachableError
   */
  async transferState(
    originId: number,
    { timeoutMs = STATE_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
  ): Promise<TransferView> {
    const handle = this.#client.workflow.getHandle(transferWorkflowId(originId));
    try {
      return await askRun(this.#client, timeoutMs, () => handle.query(stateQuery));
    } catch (error) {
      if (isNotAnswered(error)) throw new NoWorkerAnswerError(originId, timeoutMs);
      throw engineError(error, originId, this.#server);
    }
  }

  /** Makes an open transfer ask the bank as soon as allowed. Decides nothing. */
  async hintTransfer(originId: number, hint: MovementHint): Promise<void> {
    const handle = this.#client.workflow.getHandle(transferWorkflowId(originId));
    await this.#call(originId, () => handle.signal(movementHint, hint), { notFound: NO_OPEN_TRANSFER });
  }

  /**
   * Asks for a transfer to be cancelled. The transfer ends as WITHDRAWN if nothing was sent yet. Otherwise the cancel
   * is only noted (`cancelRequested`), and the transfer continues to its end, because the bank has no cancel.
   */
  async cancelTransfer(originId: number): Promise<void> {
    const handle = this.#client.workflow.getHandle(transferWorkflowId(originId));
    await this.#call(originId, () => handle.cancel(), { notFound: NO_OPEN_TRANSFER });
  }

  /**
   * The next events after a cursor, at most `limit` (default 100); an empty list: nothing newer yet. Without a
   * cursor, from the journal's first event. Store the last cursor together with the effects of the events
   * (docs/events.md).
   *
   * @throws CursorRefused not a cursor of this journal
   * @throws JournalNeededError, JournalUnavailable
   */
  async events({
    after = null,
    limit = EVENTS_LIMIT,
  }: { readonly after?: string | null; readonly limit?: number } = {}): Promise<readonly GiroEvent[]> {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > EVENTS_LIMIT_MAX) {
      throw new RangeError(`limit must be a whole number from 1 to ${EVENTS_LIMIT_MAX}`);
    }
    return this.#feed().events({ after, limit });
  }

  /**
   * All events after a cursor and then each new one, until `signal` aborts. Before the first read succeeds it throws
   * what `events` throws; afterwards it retries an unreachable journal until it answers.
   */
  followEvents(options: FollowOptions = {}): AsyncGenerator<GiroEvent, void, undefined> {
    return followEvents(this.#feed(), options);
  }

  #feed(): ReferenceJournal {
    if (this.#journal === null) throw new JournalNeededError('events need');
    return this.#journal;
  }

  /**
   * Sends an operator's decision about a flagged transfer; returns when the journal has it. Only a signature
   * authenticates the operator: where the workers have `DECIDERS_FILE`, call `decisionToSign` first, then this method
   * with its `decision` and the `signature`. While no worker can take the decision up (for example because one has just
   * died), this call sends it again until `timeoutMs`. All tries of this call are one decision. Another call is another
   * decision: equal proposals of one operator count once, but a second `resume` also clears flags that were raised
   * since the first.
   *
   * @throws DecisionRefusedError the decision is not allowed in the current state, or the bank or an operator was
   * faster
   * @throws DecisionNotRecordedError the decision could not be recorded: check the transfer before you decide again
   * @throws TransferNotFoundError no open transfer
   * @throws NoWorkerAnswerError, ServerUnreachableError the decision may have been taken up: check the transfer first
   */
  async decide(
    originId: number,
    decision: DecisionRequest,
    { timeoutMs = DECIDE_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
  ): Promise<DecisionAnswer> {
    const transfer = { originId, workflowId: transferWorkflowId(originId) };
    try {
      return await sendDecision(this.#client, transfer, { ...decision, originId }, timeoutMs);
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) throw decisionFailure(error);
      const code = grpcCode(error);
      const isOver =
        error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || code === GRPC.DEADLINE_EXCEEDED;
      if (isOver || code === GRPC.CANCELLED || isNoWorker(error)) {
        throw new NoWorkerAnswerError(originId, timeoutMs, 'decision');
      }
      const translated = engineError(error, originId, this.#server);
      throw translated instanceof TransferNotFoundError
        ? new TransferNotFoundError(originId, NO_OPEN_TRANSFER)
        : translated;
    }
  }

  /**
   * What an operator signs to decide about a flagged transfer in its current state: `line`, in UTF-8, by SSH
   * signature for the purpose `giro-decision` (`ssh-keygen -Y sign -n giro-decision`). Add the armoured `signature`
   * to `decision`, and pass it to `decide`. The decision is refused once the bank has answered something else, or
   * after `lifeMs` (default 55 min; at most an hour until it is recorded).
   *
   * @throws NoWorkerAnswerError, TransferNotFoundError, ServerUnreachableError
   * @throws DecisionRefusedError the journal does not have the order yet
   */
  async decisionToSign(
    originId: number,
    { action, operator, reason }: Pick<DecisionRequest, 'action' | 'operator' | 'reason'>,
    { lifeMs = SIGNATURE_LIFE_MS }: { readonly lifeMs?: number } = {},
  ): Promise<DecisionToSign> {
    const { orderSha256, evidenceNumber } = await this.transferState(originId);
    if (orderSha256 === null)
      throw new DecisionRefusedError([
        { field: 'action', rule: 'comes too early: the journal does not have the order that is signed' },
      ]);
    const expiresAt = new Date(Date.now() + lifeMs).toISOString();
    const decision = { originId, action, operator, reason: reason.trim(), evidenceNumber, expiresAt };
    const { namespace } = this.#client.options;
    return { line: decisionLine({ ...decision, namespace, orderSha256 }), decision };
  }

  /**
   * Tracks an identity verification until the bank reports its outcome, or finds the existing run, open or completed.
   * If tracking was stopped, tracking begins again.
   *
   * @throws InvalidRequestIdError, ServerUnreachableError
   */
  trackVerification(requestId: string): Promise<TrackedVerification> {
    return this.#verifications.track(requestId);
  }

  /**
   * Waits for the outcome of a tracked verification; without `timeoutMs` as long as it takes, which may be months.
   *
   * @throws VerificationWaitTimeoutError still open after `timeoutMs`
   * @throws VerificationStoppedError tracking was stopped, or its run lost: neither approved nor rejected
   * @throws VerificationNotFoundError, ServerUnreachableError
   */
  async waitForVerification(
    requestId: string,
    options: { readonly timeoutMs?: number; readonly runId?: string } = {},
  ): Promise<VerificationResult> {
    return this.#verifications.wait(requestId, options);
  }

  /**
   * The live view of a verification: query `state`, answered by a worker, also for an ended one.
   *
   * @throws NoVerificationAnswerError, VerificationNotFoundError, ServerUnreachableError
   */
  async verificationState(
    requestId: string,
    { timeoutMs = STATE_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
  ): Promise<VerificationView> {
    return this.#verifications.state(requestId, timeoutMs);
  }

  /** Makes an open verification ask the bank as soon as the cadence allows. */
  async hintVerification(requestId: string, hint: VerificationHint): Promise<void> {
    await this.#verifications.hint(requestId, hint);
  }

  /**
   * The bank's latest full answer, if the workers keep them (`KYC_STORE=encrypted`): personal data. First records in
   * the audit trail who reads it. Null: none is kept.
   *
   * @throws JournalNeededError the client has no journal
   * @throws JournalUnavailable, InvalidRequestIdError, InvalidReaderError
   */
  async keptVerification(requestId: string, reader: AnswerReader): Promise<KeptVerification | null> {
    if (this.#journal === null) throw new JournalNeededError('a full answer needs');
    return keptVerification(this.#journal, requestId, reader);
  }

  /** Stops tracking; `trackVerification` begins it again. Sends nothing to the bank. */
  async stopVerification(requestId: string): Promise<void> {
    await this.#verifications.stop(requestId);
  }

  async #identify(input: OrderInput): Promise<{ order: ProvenOrder; bound: BoundReference | null }> {
    const read = readOrder(input, this.#limits);
    if (!read.ok) throw new InvalidTransferOrderError(read.issues);
    const { prepared } = read;
    if (prepared.by === 'origin-id') return { order: prepared.order, bound: null };
    const journal = this.#journal;
    if (journal === null) throw new JournalNeededError('an order with a reference needs');

    const { reference } = prepared;
    const first = await this.#bind(journal, reference);
    const { originId, created } = first;
    const numbered = prepared.withOriginId(originId);
    if (!numbered.ok) throw new InvalidTransferOrderError(numbered.issues);
    if (numbered.prepared.by !== 'origin-id') throw new Error('an order with an originId has one');
    const { order } = numbered.prepared;
    // Temporal forgets ended transfers, the journal does not: so a conflict is reported before a run is started.
    const known = created ? null : await journal.orderSha256(originId);
    if (known !== null && known !== orderFingerprint(order)) {
      throw new OriginIdConflictError(originId, reference);
    }
    let { sinceMs } = first;
    const confirm = async (): Promise<void> => {
      while (sinceMs() > START_WITHIN_MS) {
        const again = await this.#bind(journal, reference);
        if (again.originId !== originId)
          throw new JournalUnavailable(
            'the journal has lost the binding of the reference: nothing was started',
          );
        ({ sinceMs } = again);
      }
    };
    return { order, bound: { reference, confirm } };
  }

  async #bind(
    journal: ReferenceJournal,
    reference: string,
  ): Promise<{ readonly originId: number; readonly created: boolean; readonly sinceMs: () => number }> {
    const bindNow = async () => {
      // The binding's age counts from before the call: the journal may have failed over before its answer arrived.
      const sinceMs = elapsedSince();
      return { ...(await journal.bindReference(reference, this.#limits)), sinceMs };
    };
    try {
      return await bindNow();
    } catch (error) {
      if (!(error instanceof BindingsMayBeLost)) throw error;
      // One search for all starts that wait for it.
      this.#search ??= findLostReferences(journal, error, (place) =>
        this.#call(null, () => startedByReference(this.#client, place), { timeoutMs: LIST_TIMEOUT_MS }),
      ).finally(() => {
        this.#search = null;
      });
      await this.#search;
      return bindNow();
    }
  }

  async #signed(order: ProvenOrder): Promise<ProvenOrder> {
    if (this.#signOrder === null || order.proof !== undefined) return order;
    const proof = await this.#signOrder(order);
    if (proofKeyId(proof) === null)
      throw new InvalidTransferOrderError([{ path: 'proof', rule: PROOF_RULE }]);
    return withProof(order, proof);
  }

  async #startOrFind(
    workflowId: string,
    order: ProvenOrder,
    bound: BoundReference | null,
  ): Promise<{ runId: string; started: boolean }> {
    await bound?.confirm();
    const options = {
      ...{ workflowId, taskQueue: this.#taskQueue, args: [order], ...transferLabels(order.originId) },
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'USE_EXISTING',
    } as const;
    const memo = bound === null ? {} : referenceMemo(bound.reference);
    const timeoutMs = Math.min(this.#callTimeoutMs, bound === null ? Infinity : START_CALL_MAX_MS);
    try {
      const { handle, started } = await this.#call(
        null,
        () => this.#starter.startOrAttach(TRANSFER_TYPE, options, memo),
        { timeoutMs },
      );
      return { runId: handle.firstExecutionRunId, started };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      const handle = this.#client.workflow.getHandle(workflowId);
      const { runId } = await this.#call(order.originId, () => handle.describe());
      return { runId, started: false };
    }
  }

  async #call<T>(
    originId: number | null,
    call: () => Promise<T>,
    {
      notFound,
      timeoutMs = this.#callTimeoutMs,
    }: { readonly notFound?: string; readonly timeoutMs?: number } = {},
  ): Promise<T> {
    try {
      return await this.#client.withDeadline(Date.now() + timeoutMs, call);
    } catch (error) {
      const translated = engineError(error, originId, this.#server);
      if (originId !== null && notFound !== undefined && translated instanceof TransferNotFoundError) {
        throw new TransferNotFoundError(originId, notFound);
      }
      throw translated;
    }
  }
}

/** The reference of an order, bound to the order's originId. */
interface BoundReference {
  readonly reference: string;
  /**
   * Call this before the order is started. If the binding is some seconds old, this asks the journal again, because the
   * journal may have lost the binding meanwhile.
   *
   * @throws JournalUnavailable the binding is lost: repeat
   */
  readonly confirm: () => Promise<void>;
}

function serverName(client: Client): string {
  const connection = client.connection as { readonly options?: { readonly address?: unknown } };
  const address = connection.options?.address;
  return typeof address === 'string' ? `Temporal at ${address}` : 'Temporal';
}
