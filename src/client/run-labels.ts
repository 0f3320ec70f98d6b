import type { SearchAttributePair } from '@temporalio/common';
import { startAttributes } from '../workflows/transfer/index-entry';

/**
 * What the Temporal UI shows of a run from its start on, besides its current details. Temporal keeps these labels only
 * for the first run of a chain. Identifiers only: without a key ring, everybody who sees the UI can read these labels.
 */
export interface RunLabels {
  /** One line. */
  readonly staticSummary: string;
  /** Markdown. */
  readonly staticDetails: string;
}

const WHERE =
  '*Current details* show the state of the run and what you may do. Choose the action in the menu *More Actions*, and paste the JSON from the details, if there is any, as its input.';

/** Labels and search attributes of a transfer's start. A run whose start has these attributes need not write them. */
export const transferLabels = (
  originId: number,
): RunLabels & { readonly typedSearchAttributes: SearchAttributePair[] } => ({
  typedSearchAttributes: startAttributes(originId, Date.now()),
  staticSummary: `transfer ${originId}`,
  staticDetails: `${WHERE}\n\nTerminate and reset decide nothing about the money: another run continues from the journal.`,
});

export const verificationLabels = (requestId: string): RunLabels => ({
  staticSummary: `identity verification ${requestId}`,
  staticDetails: `${WHERE}\n\nTerminate decides nothing: another run continues from the journal.`,
});
