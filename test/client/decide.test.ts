import { Client, WorkflowFailedError } from '@temporalio/client';
import type { ConnectionLike } from '@temporalio/client';
import { toPayloads, defaultPayloadConverter } from '@temporalio/common';
import {
  DecisionNotRecordedError,
  DecisionRefusedError,
  GiroClient,
  NoVerificationAnswerError,
  NoWorkerAnswerError,
  ServerUnreachableError,
  TransferNotFoundError,
} from '../../src/client';
import { GRPC } from '../../src/client/engine-errors';
import { DECISION_REFUSED } from '../../src/workflows/failures';

/** The exact error of the server for an update that no worker can take now. */
const FAILED_STATE = 'Unable to perform workflow execution update due to Workflow Task in failed state.';
const TASK_FAILED = 'Unable to perform workflow execution update due to unexpected workflow task failure.';
const ENDED = 'workflow execution already completed';

const COMPLETED_STAGE = 3;

interface Update {
  readonly runId: string;
  readonly updateId: string;
}
type Step = (update: Update) => unknown;

function refuse(code: number, details: string): Step {
  return () => {
    throw Object.assign(new Error(`${code} ${details}`), { code, details, metadata: { get: () => [] } });
  };
}

const answer =
  (state: string): Step =>
  ({ runId }) => ({
    updateRef: { workflowExecution: { workflowId: 'transfer-7', runId } },
    stage: COMPLETED_STAGE,
    outcome: { success: { payloads: toPayloads(defaultPayloadConverter, { state, by: ['ana'] }) } },
  });

const failure =
  (type: string): Step =>
  ({ runId }) => ({
    updateRef: { workflowExecution: { workflowId: 'transfer-7', runId } },
    stage: COMPLETED_STAGE,
    outcome: { failure: { message: 'no', applicationFailureInfo: { type } } },
  });

/** The transfer's runs in the order in which a client finds each to be the newest; the last one stays. */
interface Script {
  readonly updates: readonly Step[];
  readonly newest?: readonly string[];
  readonly query?: Step;
}

/** A client on a server that plays a script: what it answers to each update, of which the last is repeated. */
function scripted({ updates, newest = ['run-1'], query }: Script): {
  readonly giro: GiroClient;
  readonly seen: Update[];
} {
  const seen: Update[] = [];
  let described = 0;
  const workflowService = {
    describeWorkflowExecution: () => {
      const runId = newest[Math.min(described++, newest.length - 1)];
      return Promise.resolve({ workflowExecutionInfo: { execution: { runId } } });
    },
    updateWorkflowExecution: async (request: {
      readonly workflowExecution: { readonly runId?: string };
      readonly request: { readonly meta: { readonly updateId: string } };
    }) => {
      const update = {
        runId: request.workflowExecution.runId ?? '',
        updateId: request.request.meta.updateId,
      };
      seen.push(update);
      return Promise.resolve(updates[Math.min(seen.length, updates.length) - 1]!(update));
    },
    queryWorkflow: async () => Promise.resolve(query?.({ runId: '', updateId: '' })),
  };
  const connection = {
    workflowService,
    plugins: [],
    withDeadline: (_: number, call: () => Promise<unknown>) => call(),
  };
  const client = new Client({ connection: connection as unknown as ConnectionLike });
  return { giro: new GiroClient({ client }), seen };
}

const DECISION = { action: 'accept-failed', operator: 'ana', reason: 'call with the bank' } as const;
const decide = (giro: GiroClient, timeoutMs = 20_000) => giro.decide(7, DECISION, { timeoutMs });

describe('a decision that no worker can take up now', () => {
  it.each([
    ['the last task failed', GRPC.FAILED_PRECONDITION, FAILED_STATE],
    ['this task failed', GRPC.FAILED_PRECONDITION, TASK_FAILED],
    ['there is no task yet', GRPC.FAILED_PRECONDITION, 'Workflow task is not scheduled yet.'],
    ['the server lost its waiters', GRPC.UNAVAILABLE, 'workflow update was aborted'],
    ['the server aborted it', GRPC.ABORTED, 'workflow update was aborted'],
    ['the run continues as new', GRPC.RESOURCE_EXHAUSTED, 'workflow is closing'],
    ['a gateway gave up waiting', GRPC.DEADLINE_EXCEEDED, 'upstream request timeout'],
  ])('is sent again under the same id: %s', async (_, code, details) => {
    const { giro, seen } = scripted({ updates: [refuse(code, details), answer('proposed')] });
    expect(await decide(giro)).toEqual({ state: 'proposed', by: ['ana'] });
    expect(seen).toHaveLength(2);
    expect(new Set(seen.map(({ updateId }) => updateId)).size).toBe(1);
    expect(new Set(seen.map(({ runId }) => runId))).toEqual(new Set(['run-1']));
  });

  it('is given up at the time-out, and may still be taken up', async () => {
    const { giro, seen } = scripted({ updates: [refuse(GRPC.FAILED_PRECONDITION, FAILED_STATE)] });
    const startedAtMs = Date.now();
    const error = await decide(giro, 3_000).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NoWorkerAnswerError);
    expect(String(error)).toMatch(
      /no worker answered .* within 3000 ms.*may still be taken up.*check the transfer/,
    );
    // It does not begin a pause that would end after the time-out.
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(1_000);
    expect(Date.now() - startedAtMs).toBeLessThan(15_000);
    expect(seen.length).toBeGreaterThan(1);
  });

  it.each([GRPC.UNAVAILABLE, GRPC.ABORTED, GRPC.RESOURCE_EXHAUSTED])(
    'is told as unreachable when the server itself refused to the end (%i)',
    async (code) => {
      const { giro } = scripted({ updates: [refuse(code, 'not now')] });
      await expect(decide(giro, 500)).rejects.toBeInstanceOf(ServerUnreachableError);
    },
  );
});

describe('a decision that is sent again is one decision', () => {
  it('its answer was lost: the run that took it up is asked, though a newer one is there', async () => {
    const { giro, seen } = scripted({
      updates: [refuse(GRPC.UNAVAILABLE, 'workflow update was aborted'), answer('resumed')],
      newest: ['run-1', 'run-2'],
    });
    expect(await decide(giro)).toMatchObject({ state: 'resumed' });
    expect(seen.map(({ runId }) => runId)).toEqual(['run-1', 'run-1']);
  });

  it('its run ended without it: it goes to the next one', async () => {
    const { giro, seen } = scripted({
      updates: [
        refuse(GRPC.RESOURCE_EXHAUSTED, 'workflow is closing'),
        refuse(GRPC.NOT_FOUND, ENDED),
        answer('proposed'),
      ],
      newest: ['run-1', 'run-2'],
    });
    expect(await decide(giro)).toMatchObject({ state: 'proposed' });
    expect(seen.map(({ runId }) => runId)).toEqual(['run-1', 'run-1', 'run-2']);
    expect(new Set(seen.map(({ updateId }) => updateId)).size).toBe(1);
  });

  it('two decisions have two ids', async () => {
    const { giro, seen } = scripted({ updates: [answer('proposed')] });
    await decide(giro);
    await decide(giro);
    expect(new Set(seen.map(({ updateId }) => updateId)).size).toBe(2);
  });
});

describe('what is not sent again', () => {
  it('a refusal', async () => {
    const { giro, seen } = scripted({ updates: [failure(DECISION_REFUSED)] });
    await expect(decide(giro)).rejects.toBeInstanceOf(DecisionRefusedError);
    expect(seen).toHaveLength(1);
  });

  it('a decision about an ended transfer', async () => {
    const { giro, seen } = scripted({ updates: [refuse(GRPC.NOT_FOUND, ENDED)] });
    await expect(decide(giro)).rejects.toThrow(TransferNotFoundError);
    expect(seen).toHaveLength(1);
  });

  it('one whose run was terminated meanwhile: whether it was recorded must be looked up', async () => {
    const { giro, seen } = scripted({ updates: [failure('AcceptedUpdateCompletedWorkflow')] });
    await expect(decide(giro)).rejects.toThrow(DecisionNotRecordedError);
    expect(seen).toHaveLength(1);
  });

  it('a call that the server does not understand or permit', async () => {
    const broken = scripted({ updates: [refuse(GRPC.INVALID_ARGUMENT, 'bad request')] });
    await expect(decide(broken.giro)).rejects.not.toBeInstanceOf(WorkflowFailedError);
    const denied = scripted({ updates: [refuse(GRPC.PERMISSION_DENIED, 'no')] });
    await expect(decide(denied.giro)).rejects.toBeInstanceOf(ServerUnreachableError);
    expect([broken.seen.length, denied.seen.length]).toEqual([1, 1]);
  });
});

test('a query that no worker can answer now is reported as such', async () => {
  const details = 'Unable to query workflow due to Workflow Task in failed state.';
  const { giro } = scripted({ updates: [], query: refuse(GRPC.FAILED_PRECONDITION, details) });
  await expect(giro.transferState(7)).rejects.toBeInstanceOf(NoWorkerAnswerError);
});

test('a query that keeps failing on a worker is reported as such', async () => {
  const details = 'this run has news that no workflow task has handled yet: ask again';
  const { giro } = scripted({ updates: [], query: refuse(GRPC.INVALID_ARGUMENT, details) });
  const briefly = { timeoutMs: 100 };
  await expect(giro.transferState(7, briefly)).rejects.toBeInstanceOf(NoWorkerAnswerError);
  await expect(giro.verificationState('r1', briefly)).rejects.toBeInstanceOf(NoVerificationAnswerError);
});
