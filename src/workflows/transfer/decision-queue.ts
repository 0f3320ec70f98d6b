import { CancellationScope, condition, currentUpdateInfo, workflowInfo } from '@temporalio/workflow';
import type { VerifiedDecision } from '../../activities/signed-decisions';
import type { DecisionAnswer } from '../../domain/transfer/decisions/decision';
import type { TransferEvent } from '../../domain/transfer/events';
import { readDecision } from '../../domain/transfer/decisions/decision-request';
import { judgeDecision, mayHaveOldSettings } from '../../domain/transfer/decisions/judge-decision';
import type { TransferState } from '../../domain/transfer/state';
import { decisionNotNow, decisionNotRecorded, decisionRefused } from '../failures';
import type { RunClock } from '../run-clock';
import { verifyDecision } from './proxies';

type Outcome =
  | { readonly kind: 'taken-up'; readonly answer: DecisionAnswer }
  | { readonly kind: 'failed'; readonly failure: Error };

/** An update that waits. */
interface WaitingDecision {
  readonly id: string;
  readonly input: unknown;
  /** A worker's verification of the signature; absent: not verified yet. */
  verified?: Omit<VerifiedDecision, 'settings'>;
}

/** The journal did not record a decision. */
export type DecisionLost = Extract<TransferEvent, { kind: 'decision-not-recorded' | 'journal-refused' }>;

/** For decisions that waited while the journal refused another one. */
const LOST_WITH_ANOTHER = {
  field: 'request',
  rule: 'has no effect: the journal refused an earlier decision about this transfer, and this one waited for it; send it again',
} as const;
const stillRefused = (reason: string): string =>
  `the journal still refuses the transfer, which stays held: ${reason}. The decision is recorded once the journal takes the transfer`;
const JOURNAL_UNREACHABLE =
  'the journal is unreachable: check whether the decision was recorded before you repeat it';

/**
 * Updates `decide` wait here. The workflow's main loop takes them up one by one between two of its steps, so that no
 * decision coincides with a request to the bank or with another decision. An update is answered when the journal has
 * recorded its decision.
 */
export class DecisionQueue {
  readonly #state: () => TransferState;
  readonly #dispatch: (event: TransferEvent) => void;
  readonly #waiting: WaitingDecision[] = [];
  #arrived = 0;
  #isClosed = false;
  readonly #outcomes = new Map<string, Outcome>();

  constructor(
    state: () => TransferState,
    dispatch: (event: TransferEvent) => void,
    private readonly clock: RunClock,
  ) {
    this.#state = state;
    this.#dispatch = dispatch;
  }

  /** Decisions that have arrived since the run began. */
  readonly arrived = (): number => this.#arrived;

  readonly isWaiting = (): boolean => this.#waiting.length > 0;

  /** The update's validator: refuses at once, and leaves nothing in the history. */
  readonly validate = (input: unknown): void => {
    if (this.clock.isInStep()) throw decisionNotNow();
    const judged = judgeDecision(this.#state(), input, this.clock.engineMs());
    if (judged.kind === 'refused') throw decisionRefused(judged.issues);
  };

  /** The update's handler. A cancel of the transfer does not withdraw a decision. */
  readonly decide = (input: unknown): Promise<DecisionAnswer> =>
    CancellationScope.nonCancellable(async () => {
      const id = `${workflowInfo().runId}/${currentUpdateInfo()?.id ?? ''}`;
      if (this.#isClosed) throw decisionNotRecorded(JOURNAL_UNREACHABLE);
      this.#waiting.push({ id, input });
      this.#arrived += 1;
      await condition(() => this.#isAnswered(id));
      const outcome = this.#outcomes.get(id);
      this.#outcomes.delete(id);
      if (outcome?.kind === 'taken-up') return outcome.answer;
      throw outcome?.failure ?? new Error('a decision that was answered has an outcome');
    });

  /**
   * Judges the first `count` arrived decisions once more, because the bank or another operator may have been faster.
   * Stops and returns true when the signature of the next decision must be verified first.
   */
  takeUp(count: number): boolean {
    const later = Math.max(0, this.#arrived - count);
    while (this.#waiting.length > later) {
      const [next] = this.#waiting;
      if (next === undefined) return false;
      const { id, input, verified } = next;
      const judged = judgeDecision(this.#state(), input, this.clock.nowMs(), verified ?? null);
      const isSigned = judged.kind !== 'refused' && this.#state().settings.signsDecisions === true;
      const isForWorker = isSigned || (judged.kind !== 'refused' && mayHaveOldSettings(this.#state()));
      if (isForWorker && verified === undefined) return true;
      this.#waiting.shift();
      const issues =
        judged.kind === 'refused'
          ? judged.issues
          : isSigned && verified?.keyFingerprint == null
            ? [
                {
                  field: 'signature',
                  rule: `does not count: ${verified?.refused ?? 'nobody verified it'}`,
                } as const,
              ]
            : null;
      if (issues !== null || judged.kind === 'refused') {
        this.#outcomes.set(id, { kind: 'failed', failure: decisionRefused(issues ?? []) });
        continue;
      }
      if (judged.kind === 'decided') {
        this.#dispatch({ kind: 'decided', atMs: this.clock.nowMs(), record: { ...judged.record, id } });
      }
      this.#outcomes.set(id, { kind: 'taken-up', answer: judged.answer });
    }
    return false;
  }

  /**
   * Has a worker verify the signature of the next decision by its current settings: a run has neither keys nor files.
   */
  async verify(): Promise<void> {
    const [next] = this.#waiting;
    const { originId, orderSha256 } = this.#state();
    const read = readDecision(next?.input);
    if (next === undefined || !read.ok || orderSha256 === null)
      throw new Error('only a decision that was judged good is verified');
    const { action, operator } = read.request;
    const { keyFingerprint, refused, settings } = await this.clock.resultOf(
      verifyDecision.executeWithOptions({ summary: `signature of ${operator}: ${action}` }, [
        { originId, orderSha256, request: read.request },
        this.clock.seen(),
      ]),
    );
    next.verified = { keyFingerprint, refused };
    this.#dispatch({ kind: 'settings-received', atMs: this.clock.nowMs(), settings });
  }

  /** Refuses the decision `id` and all that wait: the journal recorded none of them, so they have no effect. */
  fail(id: string, lost: DecisionLost): void {
    this.#fail(id, decisionRefused([issueOf(lost)]));
    this.#failAll(decisionRefused([LOST_WITH_ANOTHER]));
  }

  /**
   * The journal refused to be read again. The decisions taken up stay in the state, and are recorded as soon as the
   * journal is read; but the refusal may stand for weeks, and a run with a waiting update cannot continue as new.
   */
  stillRefused(reason: string): void {
    for (const id of this.#outcomes.keys()) this.#fail(id, decisionNotRecorded(stillRefused(reason)));
  }

  /** The journal has been unreachable for long: this run ends, and the next run records the decisions taken up. */
  giveUp(): void {
    this.#isClosed = true;
    this.#failAll(decisionNotRecorded(JOURNAL_UNREACHABLE));
  }

  #failAll(failure: Error): void {
    for (const { id } of this.#waiting.splice(0)) this.#outcomes.set(id, { kind: 'failed', failure });
    for (const id of this.#outcomes.keys()) this.#fail(id, failure);
  }

  /** Only a decision that was taken up and has no answer yet. */
  #fail(id: string, failure: Error): void {
    if (this.#outcomes.get(id)?.kind === 'taken-up' && !this.#isAnswered(id))
      this.#outcomes.set(id, { kind: 'failed', failure });
  }

  #isAnswered(id: string): boolean {
    const outcome = this.#outcomes.get(id);
    if (outcome === undefined || outcome.kind === 'failed') return outcome !== undefined;
    return !this.#state().decisions.unrecorded.some((record) => record.id === id);
  }
}

function issueOf(lost: DecisionLost): { readonly field: 'signature' | 'request'; readonly rule: string } {
  if (lost.kind === 'journal-refused')
    return { field: 'request', rule: `has no effect: the journal refused it: ${lost.reason}` };
  if (lost.why !== undefined) return { field: 'signature', rule: `does not count: ${lost.why}` };
  return {
    field: 'request',
    rule: `has no effect: ${lost.rule ?? 'the journal does not have the transfer'}`,
  };
}
