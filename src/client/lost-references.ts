import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { originIdOfWorkflow } from '../domain/order';
import type { BindingsMayBeLost } from '../journal/errors';
import type { Journal } from '../journal/journal';
import type { StartedByReference } from '../journal/statements/lost-references';

/**
 * The memo of a transfer that was started by reference: the SHA-256 of the reference, hex. Not encrypted, even in an
 * encrypted namespace, because a client that searches for lost bindings may lack an old key.
 */
const MEMO = 'referenceSha256';
const PAGE_SIZE = 500;

export function referenceMemo(reference: string): Readonly<Record<string, Payload>> {
  const referenceSha256 = createHash('sha256').update(reference, 'utf8').digest('hex');
  return {
    [MEMO]: {
      metadata: { encoding: Buffer.from('json/plain') },
      data: Buffer.from(JSON.stringify(referenceSha256)),
    },
  };
}

interface Page {
  readonly started: readonly StartedByReference[];
  /** Token of the next page; null: this was the last page. */
  readonly token: Uint8Array | null;
}

interface PagePlace {
  readonly since: Date;
  /** Null: the first page. */
  readonly token: Uint8Array | null;
}

/** A page of the transfers that were started since `since`. */
export async function startedByReference(client: Client, { since, token }: PagePlace): Promise<Page> {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    pageSize: PAGE_SIZE,
    query: `WorkflowType = 'transfer' AND StartTime >= '${since.toISOString()}'`,
    nextPageToken: token,
  });
  const started = executions.flatMap(({ execution, memo }): StartedByReference[] => {
    const originId = originIdOfWorkflow(execution?.workflowId ?? '');
    const data = memo?.fields?.[MEMO]?.data;
    const [, referenceSha256] = /^"([0-9a-f]{64})"$/.exec(Buffer.from(data ?? []).toString('utf8')) ?? [];
    return originId === null || referenceSha256 === undefined ? [] : [{ referenceSha256, originId }];
  });
  return { started, token: nextPageToken.length === 0 ? null : nextPageToken };
}

/** If a reference was bound longer ago than this, the client asks the journal again before it sends the start. */
export const START_WITHIN_MS = 5_000;
/** Maximum time-out of the call that starts a transfer by reference. */
export const START_CALL_MAX_MS = 10_000;
/** Time-out for one page of Temporal's list, on a busy server. */
export const LIST_TIMEOUT_MS = 60_000;
/** By then every start whose reference was bound before the journal moved has arrived, and Temporal lists it. */
const LISTED_AFTER_MS = START_WITHIN_MS + START_CALL_MAX_MS + 5_000;

/**
 * Notes in the journal which references Temporal knows to be bound, after the journal has moved to another PostgreSQL.
 * Without this, an order that is repeated by its reference would get a second originId, and be paid twice.
 */
export async function findLostReferences(
  journal: Pick<Journal, 'noteLostReferences' | 'markBindingsKnown'>,
  lost: BindingsMayBeLost,
  list: (place: PagePlace) => Promise<Page>,
): Promise<void> {
  await setTimeout(LISTED_AFTER_MS);
  let token: Uint8Array | null = null;
  do {
    const page: Page = await list({ since: lost.since, token });
    await journal.noteLostReferences(page.started);
    ({ token } = page);
  } while (token !== null);
  await journal.markBindingsKnown(lost);
}
