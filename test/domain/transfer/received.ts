import { apply } from '../../../src/domain/transfer/apply';
import type { DecisionRecord } from '../../../src/domain/transfer/decisions/decision';
import { factsOf } from '../../../src/domain/transfer/facts';
import { withDecisions } from '../../../src/domain/transfer/records';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import type { TransferState } from '../../../src/domain/transfer/state';
import type { CreateAnswer, LookupAnswer } from '../../../src/domain/transfer/answers';
import { linesOf, withAnswer, withClaim } from '../../../dev/explore/journal-model';
import type { ModelJournal } from '../../../dev/explore/journal-model';

export const JOURNAL_ID = '7400000000000000001/00000001';

/** What receipt returns to a run: no facts for a new transfer (`journal` null), the facts of a known transfer. */
export const received = (
  atMs: number,
  journal: ModelJournal | null,
  unwritten: readonly DecisionRecord[] = [],
) => ({
  ...({ kind: 'received', atMs, orderSha256: 'f'.repeat(64), amountValue: '1500.25' } as const),
  ...{ settings: { ...DEFAULT_TRANSFER_SETTINGS, needsDeciders: false }, journalId: JOURNAL_ID },
  facts: journal === null ? null : factsOf(withDecisions(linesOf(journal, atMs), unwritten)),
});

export const receive = (state: TransferState, atMs: number, journal: ModelJournal | null): TransferState =>
  apply(state, received(atMs, journal, state.decisions.unrecorded));

type Line = (journal: ModelJournal) => ModelJournal;

/** A request that was claimed, and answered `tookMs` later; null: no answer is recorded. */
export const request =
  (answer: CreateAnswer | LookupAnswer | null, atMs: number, kind: 'create' | 'lookup', tookMs = 0): Line =>
  (journal) => {
    const claimed = withClaim(journal, kind, atMs, {
      resendWindowMs: DEFAULT_TRANSFER_SETTINGS.resendWindowMs,
    });
    const { number } = claimed.requests.at(-1)!;
    return answer === null ? claimed : withAnswer(claimed, number, answer, atMs + tookMs);
  };

export const lines = (journal: ModelJournal, ...made: readonly Line[]): ModelJournal =>
  made.reduce((now, make) => make(now), journal);
