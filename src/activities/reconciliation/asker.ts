import { CancelledFailure, Context, sleep } from '@temporalio/activity';
import type { BankGate, Pass } from '../../bank/gate/gate';
import { healthOf } from '../../bank/gate/health';
import type { LookupReply } from '../../bank/movements/port';
import type { NotAskedReason } from '../../reconciliation/books';
import { tellHealth } from '../through-gate';
import type { Pace } from './pace';

interface Patience {
  /** Longest that a step waits for a bank that is not reached or answers 5xx; by the clock, however many wait. */
  readonly waitMs: number;
  /** How many questions in a row may otherwise go unanswered. */
  readonly unanswered: number;
  /** Longest that a step goes without a turn because creates and polls have all of the rate. */
  readonly turnlessMs: number;
}
const PATIENCE: Patience = { waitMs: 30_000, unanswered: 20, turnlessMs: 900_000 };
/** After a step that asked no more: long enough for the moment that a turn may be put off to. */
const LITTLE_TURNLESS_MS = 60_000;

/** Why a question was not asked. */
export type Unasked = Extract<NotAskedReason, 'BANK_UNREACHABLE' | 'NO_TURN'>;
export type Asked<T> =
  { readonly kind: 'asked'; readonly said: T } | { readonly kind: 'not-asked'; readonly reason: Unasked };

export interface AskerOptions {
  /** The step before asked no more, for either reason: until it answers, one question tells whether it is back. */
  readonly wasAway: boolean;
  /** `POLL_ACTIVE`: an open breaker lets a probe through within it. */
  readonly pollActiveMs: number;
}

/**
 * Has questions of one step pass the run's own rate and the gate before the bank. Once the bank is away, or has no turn
 * left, for the step's patience, nothing more is asked in this step.
 */
export class Asker {
  private unanswered = 0;
  /** Since when nothing was answered. */
  private silentSinceMs: number | null = null;
  private givenUp: Unasked | null = null;
  /** Since when the rate gave no turn; null: it gives them. */
  private turnlessSinceMs: number | null = null;
  private patience: Patience;

  constructor(
    private readonly gate: Pick<BankGate, 'enter'>,
    private readonly pace: Pace,
    { wasAway, pollActiveMs }: AskerOptions,
  ) {
    this.patience = wasAway
      ? { waitMs: pollActiveMs, unanswered: 1, turnlessMs: LITTLE_TURNLESS_MS }
      : PATIENCE;
  }

  /** It asks no more. */
  get isAway(): boolean {
    return this.givenUp !== null;
  }

  /** `question` is asked under a pass; what it says of a reply goes to the gate. */
  async ask<T>(question: (told: (reply: LookupReply) => void) => Promise<T>): Promise<Asked<T>> {
    // The worker drains: another one goes on, and asks nobody again.
    if (Context.current().cancellationSignal.aborted) throw new CancelledFailure('the worker drains');
    if (this.givenUp !== null) return { kind: 'not-asked', reason: this.givenUp };
    const waitMs = this.pace.take(performance.now());
    if (waitMs > 0) await sleep(waitMs);
    const pass = await this.enter();
    if (typeof pass === 'string') return { kind: 'not-asked', reason: pass };
    try {
      const said = await question((reply) => {
        tellHealth(pass, reply);
        this.heard(reply);
      });
      return { kind: 'asked', said };
    } finally {
      pass.close();
    }
  }

  private heard(reply: LookupReply): void {
    if (reply.kind !== 'no-answer') {
      this.unanswered = 0;
      this.silentSinceMs = null;
      this.givenUp = null;
      this.patience = PATIENCE;
      return;
    }
    // The breaker lets few of the bad ones through; those under way when it opens are no measure of anything.
    if (this.patience.unanswered === 1 || healthOf(reply) !== 'bad') this.unanswered += 1;
    if (this.unanswered >= this.patience.unanswered) this.givenUp = 'BANK_UNREACHABLE';
    this.staySilent();
  }

  /** Whether that has been for too long. */
  private staySilent(): void {
    const nowMs = performance.now();
    this.silentSinceMs ??= nowMs;
    if (nowMs - this.silentSinceMs > this.patience.waitMs) this.givenUp ??= 'BANK_UNREACHABLE';
  }

  private stayTurnless(): void {
    const nowMs = performance.now();
    this.turnlessSinceMs ??= nowMs;
    if (nowMs - this.turnlessSinceMs > this.patience.turnlessMs) this.givenUp ??= 'NO_TURN';
  }

  /** In the lane of what has time: a poll or a create never waits behind a question of a reconciliation. */
  private async enter(): Promise<Pass | Unasked> {
    for (let returning = false; ; returning = true) {
      if (this.givenUp !== null) return this.givenUp;
      const entry = await this.gate.enter('beside', { returning });
      if (entry.kind === 'go') {
        this.turnlessSinceMs = null;
        return entry.pass;
      }
      if (entry.reason === 'circuit') this.staySilent();
      else this.stayTurnless();
      if (this.isAway) continue;
      await sleep(entry.afterMs);
    }
  }
}
