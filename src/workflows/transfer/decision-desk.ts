import { CancellationScope, condition, currentUpdateInfo, workflowInfo } from '@temporalio/workflow';
import type { DecisionAnswer } from '../../domain/transfer/decisions/decision';
import type { TransferEvent } from '../../domain/transfer/events';
import { judgeDecision } from '../../domain/transfer/decisions/judge-decision';
import type { TransferState } from '../../domain/transfer/state';
import { decisionNotNow, decisionNotRecorded, decisionRefused } from '../failures';
import type { RunClock } from '../run-clock';

type Outcome =
  | { readonly kind: 'taken-up'; readonly answer: DecisionAnswer }
  | { readonly kind: 'failed'; readonly failure: Error };

const NOTHING_CAME_OF_IT = {
  field: 'request',
  rule: 'has come to nothing: the journal holds an end, or lacks the proposal that it rests on',
} as const;
const JOURNAL_AWAY = 'the journal is away: look whether the decision stands before you repeat it';

/**
 * Where updates `decide` wait. The main line takes them up between two of its steps, one after the other, so that no
 * decision falls into a request to the bank or a second decision; each is answered when the journal has it.
 */
export class DecisionDesk {
  readonly #state: () => TransferState;
  readonly #happen: (event: TransferEvent) => void;
  readonly #asked: { readonly id: string; readonly input: unknown }[] = [];
  #arrived = 0;
  #isClosed = false;
  readonly #outcomes = new Map<string, Outcome>();

  constructor(
    state: () => TransferState,
    happen: (event: TransferEvent) => void,
    private readonly clock: RunClock,
  ) {
    this.#state = state;
    this.#happen = happen;
  }

  /** Decisions that have come since the run began. */
  readonly arrived = (): number => this.#arrived;

  readonly isAsked = (): boolean => this.#asked.length > 0;

  /** The update's validator: refuses at once, and leaves nothing in the history. */
  readonly validate = (input: unknown): void => {
    if (this.clock.isInStep()) throw decisionNotNow();
    const judged = judgeDecision(this.#state(), input, this.clock.engineMs());
    if (judged.kind === 'refused') throw decisionRefused(judged.issues);
  };

  /** The update's handler. A cancel of the transfer does not take a decision back. */
  readonly decide = (input: unknown): Promise<DecisionAnswer> =>
    CancellationScope.nonCancellable(async () => {
      const id = `${workflowInfo().runId}/${currentUpdateInfo()?.id ?? ''}`;
      if (this.#isClosed) throw decisionNotRecorded(JOURNAL_AWAY);
      this.#asked.push({ id, input });
      this.#arrived += 1;
      await condition(() => this.#isAnswered(id));
      const outcome = this.#outcomes.get(id);
      this.#outcomes.delete(id);
      if (outcome?.kind === 'taken-up') return outcome.answer;
      throw outcome?.failure ?? new Error('a decision that was answered has an outcome');
    });

  /** Judges the first `count` decisions that have come: the bank, or another operator, may have been faster. */
  takeUp(count: number): void {
    const later = Math.max(0, this.#arrived - count);
    for (const { id, input } of this.#asked.splice(0, Math.max(0, this.#asked.length - later))) {
      const judged = judgeDecision(this.#state(), input, this.clock.nowMs());
      if (judged.kind === 'refused') {
        this.#outcomes.set(id, { kind: 'failed', failure: decisionRefused(judged.issues) });
        continue;
      }
      if (judged.kind === 'decided') {
        this.#happen({ kind: 'decided', atMs: this.clock.nowMs(), record: { ...judged.record, id } });
      }
      this.#outcomes.set(id, { kind: 'taken-up', answer: judged.answer });
    }
  }

  /** The journal took none of what was waiting for it: nothing has come of it. */
  fail(): void {
    this.#failAll(decisionRefused([NOTHING_CAME_OF_IT]));
  }

  /** The journal has been away for long: this run ends, and the next writes down what was taken up. */
  giveUp(): void {
    this.#isClosed = true;
    this.#failAll(decisionNotRecorded(JOURNAL_AWAY));
  }

  #failAll(failure: Error): void {
    for (const { id } of this.#asked.splice(0)) this.#outcomes.set(id, { kind: 'failed', failure });
    for (const [id, { kind }] of this.#outcomes) {
      if (kind === 'taken-up' && !this.#isAnswered(id)) this.#outcomes.set(id, { kind: 'failed', failure });
    }
  }

  #isAnswered(id: string): boolean {
    const outcome = this.#outcomes.get(id);
    if (outcome === undefined || outcome.kind === 'failed') return outcome !== undefined;
    return !this.#state().decisions.unrecorded.some((record) => record.id === id);
  }
}
