import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import type { SchemaName } from '../../dev/schemas/published';

/** A document that a real run exchanged with Temporal, and its schema. */
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
  const schemas = type === undefined ? undefined : OF[type];
  if (schemas === undefined) return [];
  return events
    .flatMap((event) => payloadsOfEvent(event, schemas))
    .flatMap(([schema, payloads]) => {
      const data = payloads?.payloads?.[0]?.data;
      if (data === undefined) return [];
      return [{ file, schema, value: JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as unknown }];
    });
}

interface Schemas {
  readonly argument: SchemaName;
  readonly result: SchemaName;
  readonly hint: SchemaName | null;
}
const OF: Readonly<Record<string, Schemas>> = {
  transfer: { argument: 'transfer-order', result: 'transfer-result', hint: 'movement-hint' },
  identityVerification: {
    ...{ argument: 'verification-request', result: 'verification-result', hint: 'verification-hint' },
  },
  reconciliation: { argument: 'reconciliation-request', result: 'reconciliation-result', hint: null },
};

function payloadsOfEvent(
  event: Event,
  { argument, result, hint }: Schemas,
): (readonly [SchemaName, Payloads | undefined])[] {
  const started = event.workflowExecutionStartedEventAttributes;
  const completed = event.workflowExecutionCompletedEventAttributes;
  const signaled = event.workflowExecutionSignaledEventAttributes;
  const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
  const updated = event.workflowExecutionUpdateCompletedEventAttributes;
  return [
    // A continued run also gets its state, but its first argument is still the caller's.
    ...(started === undefined ? [] : [[argument, started.input] as const]),
    ...(completed === undefined ? [] : [[result, completed.result] as const]),
    ...(signaled === undefined || hint === null ? [] : [[hint, signaled.input] as const]),
    ...(accepted === undefined ? [] : [['decision-request', accepted.acceptedRequest.input.args] as const]),
    ...(updated === undefined ? [] : [['decision-answer', updated.outcome.success] as const]),
  ];
}
