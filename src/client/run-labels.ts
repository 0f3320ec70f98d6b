/**
 * What the Temporal UI shows of a run from its start on, beside its current details. Identifiers only: without a key
 * ring everybody who sees the UI reads it.
 */
export interface RunLabels {
  /** One line. */
  readonly staticSummary: string;
  /** Markdown. */
  readonly staticDetails: string;
}

const DECIDES_NOTHING =
  'Terminate and reset decide nothing: the run is started again and goes on where it was.';

export const transferLabels = (originId: number): RunLabels => ({
  staticSummary: `transfer ${originId}`,
  staticDetails: [
    'Under *More Actions*, with plain JSON:',
    '',
    '- signal `movementHint` `{"source":"ana","eventId":"ticket 88"}`: ask the bank sooner',
    '- update `decide` `{"action":"resume","operator":"ana","reason":"ticket 88"}`: what the current details allow',
    '',
    DECIDES_NOTHING,
  ].join('\n'),
});

export const verificationLabels = (requestId: string): RunLabels => ({
  staticSummary: `identity verification ${requestId}`,
  staticDetails: [
    'Under *More Actions*, with plain JSON:',
    '',
    '- signal `verificationHint` `{"source":"ana","eventId":"ticket 88"}`: ask the bank sooner',
    '',
    '*Request Cancellation* stops the tracking. Terminate decides nothing: the run is started again.',
  ].join('\n'),
});
