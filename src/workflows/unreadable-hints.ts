import type { Payload, WorkflowInterceptors } from '@temporalio/workflow';
import { maybeGetActivator } from '@temporalio/workflow/lib/global-attributes';
import { movementHint, verificationHint } from './messages';

/** The encoding of a payload that could not be opened; a reason may follow. */
const ENCRYPTED = 'binary/encrypted';

/** The signals whose handlers read no content. */
const HINTS: ReadonlySet<string> = new Set([movementHint.name, verificationHint.name]);

/**
 * A hint means "ask as soon as allowed" and nothing else, so its content never reaches a workflow. Unreadable content
 * (another key ring, an altered payload, invalid JSON) makes no difference, not even in a replay. If another worker
 * accepted an update that this worker cannot open, the run pauses until this worker can. Otherwise the SDK would treat
 * the update as a new update and refuse it.
 */
export function interceptors(): WorkflowInterceptors {
  withoutPastRuns();
  return {
    internals: [
      {
        activate(input, next) {
          for (const { signalWorkflow, doUpdate } of input.activation.jobs ?? []) {
            if (signalWorkflow && HINTS.has(signalWorkflow.signalName ?? '')) signalWorkflow.input = [];
            const unread = doUpdate?.runValidator === true ? undefined : doUpdate?.input?.find(isClosed);
            if (unread !== undefined) throw new Error(`an accepted update is ${encodingOf(unread)}`);
          }
          next(input);
        },
      },
    ],
  };
}

/**
 * A scheduled run receives the result of the last run that completed, and the failure of the last run if it failed. The
 * SDK converts both before anything else runs, `activate` above included: a payload that no longer opens (a lost key,
 * encryption switched off) would stop the schedule for ever. No workflow reads result or failure, so both are dropped.
 * The SDK has no public interface for that; `test/workflows/past-runs.test.ts` fails if the internal one no longer
 * exists.
 */
function withoutPastRuns(): void {
  const activator = maybeGetActivator();
  if (activator === undefined) return;
  const initialize = activator.initializeWorkflow.bind(activator);
  activator.initializeWorkflow = (job) => {
    initialize({ ...job, lastCompletionResult: null, continuedFailure: null });
  };
}

const isClosed = (payload: Payload): boolean => encodingOf(payload).startsWith(ENCRYPTED);

/** Encodings and reasons are ASCII. */
const encodingOf = ({ metadata }: Payload): string =>
  String.fromCharCode(...(metadata?.['encoding'] ?? new Uint8Array()));
