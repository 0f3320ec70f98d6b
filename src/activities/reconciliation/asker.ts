import { CancelledFailure, Context, sleep } from '@temporalio/activity';
import type { Pass } from '../../bank/gate/gate';
import { healthOf } from '../../bank/gate/health';
import type { LookupReply } from '../../bank/movements/port';
import { tellHealth } from '../through-gate';
import type { ReconciliationContext } from './context';
import type { Pace } from './pace';

interface Patience {
  /** Longest that a step waits for a bank that is not reached or answers 5xx; by the clock, however many wait. */
  readonly waitMs: number;
  /** How many questions in a row may otherwise go unanswered. */
  readonly unanswered: number;
}
const PATIENCE: Patience = { waitMs: 30_000, unanswered: 20 };

export type Asked<T> = T | 'bank-away';

export interface AskerOptions {
  /** The step before found the bank away: until it answers, one question tells whether it is back. */
  readonly wasAway: boolean;
  /** `POLL_ACTIVE`: an open breaker lets a probe through within it. */
  readonly pollActiveMs: number;
}

/**
 * Has questions of one step pass the run's own rate and the gate before the bank. Once the bank is away for the
 * step's patience, nothing more is asked in this step.
 */
export class Asker {
  private unanswered = 0;
  /** Since when nothing was answered. */
  private silentSinceMs: number | null = null;
  private hasGivenUp = false;
  private patience: Patience;

  constructor(
    private readonly gate: Pick<ReconciliationContext['gate'], 'enter'>,
    private readonly pace: Pace,
    { wasAway, pollActiveMs }: AskerOptions,
  ) {
    this.patience = wasAway ? { waitMs: pollActiveMs, unanswered: 1 } : PATIENCE;
  }

  get isAway(): boolean {
    return this.hasGivenUp;
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
        this.heard(reply);
      });
    } finally {
      pass.close();
    }
  }

  private heard(reply: LookupReply): void {
    if (reply.kind !== 'no-answer') {
      this.unanswered = 0;
      this.silentSinceMs = null;
      this.hasGivenUp = false;
      this.patience = PATIENCE;
      return;
    }
    // The breaker lets few of the bad ones through; those under way when it opens are no measure of anything.
    if (this.patience.unanswered === 1 || healthOf(reply) !== 'bad') this.unanswered += 1;
    if (this.unanswered >= this.patience.unanswered) this.hasGivenUp = true;
    this.staySilent();
  }

  /** Whether that has been for too long. */
  private staySilent(): boolean {
    const nowMs = performance.now();
    this.silentSinceMs ??= nowMs;
    if (nowMs - this.silentSinceMs > this.patience.waitMs) this.hasGivenUp = true;
    return this.hasGivenUp;
  }

  /** In the lane of what has time: a poll or a create never waits behind a question of a reconciliation. */
  private async enter(): Promise<Pass | null> {
    for (let returning = false; ; returning = true) {
      if (this.isAway) return null;
      const entry = await this.gate.enter('beside', { returning });
      if (entry.kind === 'go') return entry.pass;
      if (entry.reason === 'circuit' && this.staySilent()) return null;
      await sleep(entry.afterMs);
    }
  }
}
