import type { Payload, WorkflowInterceptors } from '@temporalio/workflow';
import { movementHint } from './messages';
import { verificationHint } from './verification/messages';

/** What stands in the encoding of a payload that nobody could open; a reason may follow. */
const ENCRYPTED = 'binary/encrypted';

/** Their handlers read nothing of what a hint says, so that a replay comes out the same whether it opens or not. */
const HINTS: ReadonlySet<string> = new Set([movementHint.name, verificationHint.name]);

/**
 * A hint that this worker cannot open (its sender has a key ring of its own, or somebody altered it) is a hint
 * without content: "ask as soon as allowed". An update that was accepted by a worker that could open it pauses the run until
 * this one can; the SDK would take it for a new one and refuse it.
 */
export function interceptors(): WorkflowInterceptors {
  return {
    internals: [
      {
        activate(input, next) {
          for (const { signalWorkflow, doUpdate } of input.activation.jobs ?? []) {
            if (signalWorkflow?.input?.some(isClosed) && HINTS.has(signalWorkflow.signalName ?? '')) {
              signalWorkflow.input = [];
            }
            const unread = doUpdate?.runValidator === true ? undefined : doUpdate?.input?.find(isClosed);
            if (unread !== undefined) throw new Error(`an accepted update is ${encodingOf(unread)}`);
          }
          next(input);
        },
      },
    ],
  };
}

const isClosed = (payload: Payload): boolean => encodingOf(payload).startsWith(ENCRYPTED);

/** Encodings and reasons are ASCII. */
const encodingOf = ({ metadata }: Payload): string =>
  String.fromCharCode(...(metadata?.['encoding'] ?? new Uint8Array()));
