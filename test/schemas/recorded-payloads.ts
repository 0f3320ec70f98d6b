import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import type { SchemaName } from '../../dev/schemas/published';

/** A document that crossed the engine's boundary in a real run, and the schema that speaks of it. */
export interface RecordedPayload {
  readonly file: string;
  readonly schema: SchemaName;
  readonly value: unknown;
}

interface Payloads {
  readonly payloads?: readonly { readonly data: string }[];
}
interface Event {
  readonly workflowExecutionStartedEventAttributes?: {
    readonly workflowType: { readonly name: string };
    readonly continuedExecutionRunId?: string;
    readonly input?: Payloads;
  };
  readonly workflowExecutionCompletedEventAttributes?: { readonly result?: Payloads };
  readonly workflowExecutionSignaledEventAttributes?: {
    readonly signalName: string;
    readonly input?: Payloads;
  };
  readonly workflowExecutionUpdateAcceptedEventAttributes?: {
    readonly acceptedRequest: { readonly input: { readonly args?: Payloads } };
  };
  readonly workflowExecutionUpdateCompletedEventAttributes?: {
    readonly outcome: { readonly success?: Payloads };
  };
}

const FOLDER = join(packageRoot, 'test', 'histories');

export const historyFiles = (): string[] => readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

export function payloadsOf(file: string): RecordedPayload[] {
  const { events } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { events: readonly Event[] };
  const type = events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name;
  if (type !== 'transfer' && type !== 'identityVerification') return [];
  return events
    .flatMap((event) => payloadsOfEvent(event, type))
    .flatMap(([schema, payloads]) => {
      const data = payloads?.payloads?.[0]?.data;
      if (data === undefined) return [];
      return [{ file, schema, value: JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as unknown }];
    });
}

function payloadsOfEvent(
  event: Event,
  type: 'transfer' | 'identityVerification',
): (readonly [SchemaName, Payloads | undefined])[] {
  const isTransfer = type === 'transfer';
  const started = event.workflowExecutionStartedEventAttributes;
  const completed = event.workflowExecutionCompletedEventAttributes;
  const signaled = event.workflowExecutionSignaledEventAttributes;
  const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
  const updated = event.workflowExecutionUpdateCompletedEventAttributes;
  return [
    // A run that goes on carries its state beside the argument, which is the caller's all the same.
    ...(started === undefined
      ? []
      : [[isTransfer ? 'transfer-order' : 'verification-request', started.input] as const]),
    ...(completed === undefined
      ? []
      : [[isTransfer ? 'transfer-result' : 'verification-result', completed.result] as const]),
    ...(signaled === undefined
      ? []
      : [[isTransfer ? 'movement-hint' : 'verification-hint', signaled.input] as const]),
    ...(accepted === undefined ? [] : [['decision-request', accepted.acceptedRequest.input.args] as const]),
    ...(updated === undefined ? [] : [['decision-answer', updated.outcome.success] as const]),
  ];
}
