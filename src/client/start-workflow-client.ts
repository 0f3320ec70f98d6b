import { AsyncLocalStorage } from 'node:async_hooks';
import { WorkflowClient, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type {
  Client,
  StartWorkflowExecutionRequest,
  WorkflowHandleWithStartDetails,
  WorkflowStartInput,
  WorkflowStartOptions,
  WorkflowStartOutput,
} from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { GRPC, grpcCode } from './engine-errors';

type ClearMemo = Readonly<Record<string, Payload>>;

/** Changes the start request before it leaves, e.g. to let a test's time skip. */
export type AmendStartRequest = (request: StartWorkflowExecutionRequest) => StartWorkflowExecutionRequest;

/**
 * A workflow client that reports whether a start made a new run. Under conflict policy USE_EXISTING the SDK's handle
 * is the same for a new and an existing run; only Temporal's answer distinguishes them.
 */
export class StartWorkflowClient extends WorkflowClient {
  readonly #answer = new AsyncLocalStorage<{ started: boolean; readonly memo: ClearMemo }>();
  readonly #amend: AmendStartRequest;

  /** Connection, namespace, data converter and interceptors are those of `client`. */
  constructor(client: Client, amend: AmendStartRequest = (request) => request) {
    super({
      connection: client.connection,
      namespace: client.options.namespace,
      identity: client.options.identity,
      dataConverter: client.options.loadedDataConverter,
      interceptors: client.options.interceptors.workflow ?? [],
    });
    this.#amend = amend;
  }

  /** As `start`, with `started`: true only if this call made the run. `memo`: not encrypted. */
  async startOrAttach(
    type: string,
    options: WorkflowStartOptions,
    memo: ClearMemo = {},
  ): Promise<{ readonly handle: WorkflowHandleWithStartDetails; readonly started: boolean }> {
    const answer = { started: false, memo };
    const handle = await this.#answer.run(answer, () => this.start(type, options));
    return { handle, started: answer.started };
  }

  protected override async createStartWorkflowRequest(
    input: WorkflowStartInput,
  ): Promise<StartWorkflowExecutionRequest> {
    const request = await super.createStartWorkflowRequest(input);
    const fields = { ...request.memo?.fields, ...this.#answer.getStore()?.memo };
    return this.#amend(Object.keys(fields).length === 0 ? request : { ...request, memo: { fields } });
  }

  protected override async _startWorkflowHandler(input: WorkflowStartInput): Promise<WorkflowStartOutput> {
    const { workflowId } = input.options;
    try {
      const request = await this.createStartWorkflowRequest(input);
      const response = await this.workflowService.startWorkflowExecution(request);
      const answer = this.#answer.getStore();
      if (answer !== undefined) answer.started = response.started;
      return { runId: response.runId, eagerlyStarted: response.eagerWorkflowTask != null };
    } catch (error) {
      if (grpcCode(error) === GRPC.ALREADY_EXISTS) {
        throw new WorkflowExecutionAlreadyStartedError(
          'Workflow execution already started',
          workflowId,
          input.workflowType,
        );
      }
      throw error;
    }
  }
}
