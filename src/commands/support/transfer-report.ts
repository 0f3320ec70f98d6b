import type { AttentionReason } from '../../domain/transfer/flags';
import { REASON_SENTENCES } from '../../domain/transfer/flags';
import type { TransferView } from '../../domain/transfer/view';
import type { TransferResultStatus } from '../../domain/transfer/result';
import type { TransferRecord } from '../../journal/statements/transfer-records';
import type { ShownDifference } from './differing-values';

/** The bank contradicts the result of an ended transfer, which no run can flag. */
export const FINAL_CONTRADICTED = 'FINAL_CONTRADICTED';

/** A transfer as `transfer show` and `transfer list` print it: the live view, and what the journal holds. */
export interface TransferReport extends Omit<TransferView, 'attentionReasons'> {
  /** The run's flags, and `FINAL_CONTRADICTED` while an incident is not acknowledged. */
  readonly attentionReasons: readonly (AttentionReason | typeof FINAL_CONTRADICTED)[];
  /** Where the bank contradicted the result, oldest first. */
  readonly incidents: TransferRecord['incidents'];
  /** An archive that may hold answers before the last one; null: all answers are in the journal. */
  readonly archiveSha256: string | null;
  readonly reference: string | null;
  /** As ordered; null: not known yet, or the order does not open here. */
  readonly amount: TransferRecord['amount'];
  /** Only in `transfer show`; null: no account or tax id differs. */
  readonly differingValues?: ShownDifference | null;
  /** ISO UTC: when the order was recorded; before that, when its run was started. */
  readonly openedAt: string;
  /** Status of the result; null while open. */
  readonly status: TransferResultStatus | null;
  readonly result: TransferRecord['result'];
  readonly annulment: TransferRecord['annulment'];
  readonly attempts: TransferRecord['attempts'];
  readonly orderKeyId: TransferRecord['orderKeyId'];
  readonly decisions: TransferRecord['decisions'];
  /** True: phase, counts and times are a worker's answer. False: they are derived from the journal. */
  readonly live: boolean;
}

/** `view`: a worker's answer; null: none came. */
export function transferReport(record: TransferRecord, view: TransferView | null): TransferReport {
  const known = viewFromJournal(record);
  const base = view !== null && isUpToDate(view, known) ? view : known;
  const contradicted = record.incidents.some(({ acknowledged }) => acknowledged === null);
  return {
    ...base,
    needsAttention: base.needsAttention || contradicted,
    attentionReasons: [...base.attentionReasons, ...(contradicted ? ([FINAL_CONTRADICTED] as const) : [])],
    reference: record.reference,
    amount: record.amount,
    openedAt: record.openedAt,
    status: record.result?.status ?? null,
    result: record.result,
    annulment: record.annulment,
    incidents: record.incidents,
    archiveSha256: record.archiveSha256,
    attempts: record.attempts,
    orderKeyId: record.orderKeyId,
    decisions: record.decisions,
    live: base === view,
  };
}

/**
 * Whether the run knows what the journal knows. A run with another order does not, nor does a run that was started after
 * the transfer had ended: such a run knows only the result.
 */
const isUpToDate = (view: TransferView, known: TransferView): boolean =>
  view.orderSha256 === known.orderSha256 &&
  (known.phase !== 'ended' || (view.bankStatus === known.bankStatus && view.polls >= known.polls));

/** A transfer that Temporal has, but the journal does not have yet. */
export function reportWithoutRecord(view: TransferView, openedAt: string, live: boolean): TransferReport {
  return {
    ...view,
    reference: null,
    amount: null,
    openedAt,
    status: null,
    result: null,
    annulment: null,
    incidents: [],
    archiveSha256: null,
    attempts: [],
    orderKeyId: null,
    decisions: [],
    live,
  };
}

/** The view of a transfer that no worker has taken up yet. */
export function unseenView(originId: number, orderSha256: string | null): TransferView {
  return {
    originId,
    phase: 'received',
    bankStatus: null,
    movementId: null,
    networkId: null,
    needsAttention: false,
    attentionReasons: [],
    polls: 0,
    lastPolledAt: null,
    nextPollAt: null,
    orderSha256,
    cancelRequested: false,
    history: [],
    proposals: [],
    mayDecide: [],
    journalConflict: null,
    sends: 0,
    lastError: null,
    sendingStopped: null,
    doubtfulAnswer: null,
    evidenceNumber: 0,
  };
}

/** The view, as far as the journal knows it. */
export function viewFromJournal(record: TransferRecord): TransferView {
  const {
    reference: _,
    openedAt: _at,
    network: _network,
    attempts: _attempts,
    orderKeyId: _orderKeyId,
    decisions: _decisions,
    amount: _amount,
    ...rest
  } = record;
  const {
    result: _result,
    annulment: _annulment,
    incidents: _incidents,
    archiveSha256: _archive,
    ...view
  } = rest;
  return view;
}

/** The sentence for operators about a reason. */
export const sentenceOf = (reason: TransferReport['attentionReasons'][number]): string =>
  reason === FINAL_CONTRADICTED
    ? 'The bank now contradicts the answer that ended it. The result stays as it is.'
    : REASON_SENTENCES[reason];
