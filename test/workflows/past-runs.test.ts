import { Worker } from '@temporalio/worker';
import { quietRuntime } from '../support/quiet-runtime';
import { readHistoryFiles } from '../support/history-file';
import { workflowCode } from './bundle';

/** As a worker leaves a payload that it cannot open, and as it finds one without a key ring. */
const closed = { metadata: { encoding: Buffer.from('binary/encrypted: no key k9') }, data: Buffer.from('x') };

let code = '';
beforeAll(async () => {
  quietRuntime({ core: 'ERROR' });
  code = await workflowCode();
});

describe.each(['recovery', 'webhook-check', 'reconciliation'])('a scheduled run of %s', (path) => {
  const replay = async (start: Record<string, unknown>): Promise<void> => {
    const { history, workflowId } = (await readHistoryFiles()).find(({ name }) =>
      name.endsWith(`-${path}.json`),
    )!;
    const [first, ...events] = history.events!;
    const started = { ...first!.workflowExecutionStartedEventAttributes, ...start };
    await Worker.runReplayHistory(
      { workflowBundle: { code } },
      { events: [{ ...first!, workflowExecutionStartedEventAttributes: started }, ...events] },
      workflowId,
    );
  };

  it('needs nothing of the run before it: its result and its failure may be closed', async () => {
    await replay({
      lastCompletionResult: { payloads: [closed] },
      continuedFailure: { message: 'Encoded failure', encodedAttributes: closed, applicationFailureInfo: {} },
    });
  });

  it('does read its memo, as the check above would see', async () => {
    await expect(replay({ memo: { fields: { any: closed } } })).rejects.toThrow('Unknown encoding');
  });
});
