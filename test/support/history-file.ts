import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { temporal } from '@temporalio/proto';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';
import { packageRoot } from '../../dev/package-root';

type History = temporal.api.history.v1.IHistory;

/** A history of a real run, `<version>-<path>.json`, which newer workflow code must replay. */
export interface HistoryFile {
  readonly name: string;
  readonly workflowId: string;
  readonly history: History;
}

const FOLDER = join(packageRoot, 'test', 'histories');

export async function readHistoryFiles(): Promise<HistoryFile[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    names.map(async (name) => {
      const history = historyFromJSON(JSON.parse(await readFile(join(FOLDER, name), 'utf8')));
      const workflowId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId;
      if (workflowId == null) throw new Error(`${name} does not begin with the start of a workflow`);
      return { name, workflowId, history };
    }),
  );
}

export async function writeHistoryFile(name: string, history: History, taskQueue: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, name), `${anonymous(historyToJSON(history), taskQueue)}\n`);
}

/** Removes the recording machine's name from processes and sticky queues. */
function anonymous(json: string, taskQueue: string): string {
  const value: unknown = JSON.parse(json.replaceAll(taskQueue, 'giro'), (key, member: unknown) => {
    if (key === 'identity' || key === 'requestId') return key;
    if (key === 'workerVersion' || key === 'meteringMetadata') return undefined;
    // Paths of the recording machine; a replay ignores this field.
    if (key === 'stackTrace') return undefined;
    if (key === 'stickyTaskQueue') return undefined;
    if (key === 'taskQueue' && isSticky(member)) return { name: 'sticky', kind: 'TASK_QUEUE_KIND_STICKY' };
    return member;
  });
  return JSON.stringify(value, null, 1);
}

const isSticky = (queue: unknown): boolean =>
  typeof queue === 'object' && queue !== null && 'kind' in queue && queue.kind === 'TASK_QUEUE_KIND_STICKY';
