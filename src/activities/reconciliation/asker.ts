import { CancelledFailure, Context, sleep } from '@temporalio/activity';
import type { Pass } from '../../bank/gate/gate';
import type { LookupReply } from '../../bank/movements/port';
import { tellHealth } from '../through-gate';
import type { ReconciliationContext } from './context';
import type { Pace } from './pace';

/** Longest that one step waits for a bank that is away, and how many questions may go unanswered in a row. */
const PATIENCE_MS = 30_000;
const UNANSWERED_MAX = 20;
/** While the step before found the bank away: one question tells whether it is back. */
const UNANSWERED_MAX_AWAY = 1;

export type Asked<T> = T | 'bank-away';

/**
 * Has questions of one step pass the run's own rate and the gate before the bank. Once the bank is away for the
 * step's patience, nothing more is asked in this step.
 */
export class Asker {
  private waitedMs = 0;
  private unanswered = 0;
  private readonly patienceMs: number;
  private readonly unansweredMax: number;

  constructor(
    private readonly gate: ReconciliationContext['gate'],
    private readonly pace: Pace,
    { wasAway }: { readonly wasAway: boolean },
  ) {
    this.patienceMs = wasAway ? 0 : PATIENCE_MS;
    this.unansweredMax = wasAway ? UNANSWERED_MAX_AWAY : UNANSWERED_MAX;
  }

  get isAway(): boolean {
    return this.unanswered >= this.unansweredMax || this.waitedMs > this.patienceMs;
  }

  /** `question` is asked under a pass; what it says of a reply goes to the gate. */
  async ask<T>(question: (told: (reply: LookupReply) => void) => Promise<T>): Promise<Asked<T>> {
    // The worker drains: another one goes on, and asks nobody again.
    if (Context.current().cancellationSignal.aborted) throw new CancelledFailure('the worker drains');
    if (this.isAway) return 'bank-away';
    const waitMs = this.pace.take(performance.now());
    if (waitMs > 0) await sleep(waitMs);
    const pass = await this.enter();
    if (pass === null) return 'bank-away';
    try {
      return await question((reply) => {
        tellHealth(pass, reply);
        this.unanswered = reply.kind === 'no-answer' ? this.unanswered + 1 : 0;
      });
    } finally {
      pass.close();
    }
  }

  private async enter(): Promise<Pass | null> {
    for (let returning = false; !this.isAway; returning = true) {
      const entry = await this.gate.enter('lookup', { returning });
      if (entry.kind === 'go') return entry.pass;
      if (entry.reason === 'circuit') {
        this.waitedMs += Math.max(1, entry.afterMs);
        if (this.waitedMs > this.patienceMs) return null;
      }
      await sleep(entry.afterMs);
    }
    return null;
  }
}
