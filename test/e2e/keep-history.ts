import { readFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import type { WorkflowHandle } from '@temporalio/client';
import { handledEvents } from '../../dev/handled-events';
import { VERSION } from '../../src/version';
import { writeHistoryFile } from '../support/history-file';
import { textsBesideTheOrder } from '../support/history-texts';
import { MADE_UP_PARTY } from '../support/made-up-party';
import { testServers } from '../support/servers';

const RECORD = process.env['GIRO_RECORD_HISTORIES'] === '1';

/** Accounts and tax ids of `orderOf`, tax ids and names of the sandbox bank's answers. */
const PERSONAL = new RegExp(
  `${MADE_UP_PARTY.source}|30714979732|20218346414|27361705039|Razón|Ñandubay|Nadie`,
);

/**
 * Replays the history of a run at once, and searches it for personal data. With GIRO_RECORD_HISTORIES=1, also writes
 * the history to test/histories, for later versions (test/workflows/replay.test.ts).
 */
export async function keepHistory(path: string, handle: WorkflowHandle, taskQueue: string): Promise<void> {
  const history = handledEvents(await handle.fetchHistory());
  const code = await readFile(testServers().workflowBundlePath, 'utf8');
  await Worker.runReplayHistory({ workflowBundle: { code } }, history, handle.workflowId);
  const personal = textsBesideTheOrder(history).filter(({ text }) => PERSONAL.test(text));
  expect(personal).toEqual([]);
  if (RECORD) await writeHistoryFile(`${VERSION}-${path}.json`, history, taskQueue);
}
