import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { quietRuntime } from '../support/quiet-runtime';
import { readHistoryFiles } from '../support/history-file';
import type { HistoryFile } from '../support/history-file';
import { textsBesideTheOrder } from '../support/history-texts';
import { workflowCode } from './bundle';

/** Paths of which there is a history, by at least one version. */
const PATHS = [
  'answered-late',
  'asked-while-away',
  'cancelled-after-send',
  'completed',
  'continued-as-new',
  'continues-as-new',
  'create-ended-while-away',
  'create-ended-with-both',
  'create-ended-with-cancel',
  'create-ended-with-hint',
  'decided-completed',
  'decided-failed',
  'decided-not-taken',
  'delayed',
  'duplicate-error',
  'echo-incomplete',
  'failed',
  'held-then-hinted',
  'hinted-while-away',
  'journal-away',
  'journal-back',
  'journal-behind-resumed',
  'journal-without-it-resumed',
  'known-to-the-bank-held',
  'kyc-continued-as-new',
  'kyc-continues-as-new',
  'kyc-contradicted',
  'kyc-echo-incomplete',
  'kyc-echo-mismatch',
  'kyc-ended-despite-stop',
  'kyc-hinted',
  'kyc-lost-run-again',
  'kyc-no-answer',
  'kyc-rejected',
  'kyc-step-lost',
  'kyc-stopped',
  'kyc-unmapped',
  'looked-up',
  'lost-run-again',
  'not-sent',
  'open-too-long',
  'outcome-unknown',
  'proposal-carried',
  'proposal-voided',
  'proposal-withdrawn',
  'reconciliation',
  'recovery',
  'refused',
  'resent-by-operators',
  'reset',
  'resumed',
  'sending-stopped',
  'sent-twice',
  'status-unknown',
  'unauthorized',
  'vanished',
  'webhook-check',
  'withdrawn',
];

let files: readonly HistoryFile[] = [];
let code = '';

beforeAll(async () => {
  // The core warns of the violations that are wanted here.
  quietRuntime({ core: 'ERROR' });
  [files, code] = await Promise.all([readHistoryFiles(), workflowCode()]);
});

const replay = ({ history, workflowId }: HistoryFile, bundle = code) =>
  Worker.runReplayHistory({ workflowBundle: { code: bundle } }, history, workflowId);

const fileOf = (path: string): HistoryFile => files.find(({ name }) => name.endsWith(`-${path}.json`))!;

describe('recorded histories', () => {
  it('are there for every path', () => {
    const paths = files.map(({ name }) => /^\d+\.\d+\.\d+-(.+)\.json$/.exec(name)?.[1]);
    expect([...new Set(paths)].sort()).toEqual(PATHS);
  });

  it('replay with the present workflow code', async () => {
    const failures: string[] = [];
    let replayed = 0;
    // By one worker: to start it costs more than a replay.
    for await (const { error } of Worker.runReplayHistories({ workflowBundle: { code } }, files)) {
      if (error !== undefined) failures.push(`${files[replayed]!.name}: ${String(error)}`);
      replayed += 1;
    }
    expect({ failures, replayed }).toEqual({ failures: [], replayed: files.length });
  });

  it('name no machine and no process', () => {
    const telling = files.flatMap(({ name, history }) =>
      textsBesideTheOrder(history)
        .filter(({ text }) => /\d+@|(^|[^\w])\/(home|root|tmp|usr|work|Users)\//.test(text))
        .map(({ where }) => `${name}: ${where}`),
    );
    expect(telling).toEqual([]);
  });
});

describe('the replay check', () => {
  it('notices a history that this code would not have made', async () => {
    const { history, ...file } = fileOf('completed');
    const events = history.events!.map((event) =>
      event.activityTaskScheduledEventAttributes == null
        ? event
        : {
            ...event,
            activityTaskScheduledEventAttributes: {
              ...event.activityTaskScheduledEventAttributes,
              activityType: { name: 'anotherActivity' },
            },
          },
    );
    await expect(replay({ ...file, history: { events } })).rejects.toThrow(DeterminismViolationError);
  });

  it('notices code that takes another way', async () => {
    const changed = code.replaceAll('createTransfer', 'sendTransfer');
    expect(changed).not.toBe(code);
    await expect(replay(fileOf('completed'), changed)).rejects.toThrow(DeterminismViolationError);
  });
});
