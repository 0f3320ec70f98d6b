import { CancelledFailure, Context, sleep } from '@temporalio/activity';
import { healthOf } from '../../bank/limiter/health';
import type { BankLimiter, Permit } from '../../bank/limiter/limiter';
import type { LookupReply } from '../../bank/movements/port';
import type { NotAskedReason } from '../../reconciliation/books';
import type { InquiryCall } from '../inquire';
import { reportHealth } from '../with-permit';

/** Limits after which a step makes no further inquiry. */
interface GiveUpLimits {
  /**
   * Longest time without a readable answer, for any number of waiting inquiries, whatever the cause: the open circuit
   * breaker, 5xx, time-outs.
   */
  readonly silentMs: number;
  /** Maximum number of inquiries in a row without an answer while the bank is reachable and does not answer 5xx. */
  readonly unanswered: number;
  /** Longest time without a permit, while movement requests use all of the rate. */
  readonly withoutPermitMs: number;
}
const LIMITS: GiveUpLimits = { silentMs: 30_000, unanswered: 20, withoutPermitMs: 900_000 };
/** `withoutPermitMs` after a step that gave up; longer than the limiter usually defers a request. */
const SHORT_WITHOUT_PERMIT_MS = 60_000;

/** Why the bank was not asked. */
export type Unasked = Extract<NotAskedReason, 'BANK_UNREACHABLE' | 'NO_TURN'>;
export type Asked<T> =
  { readonly kind: 'asked'; readonly result: T } | { readonly kind: 'not-asked'; readonly reason: Unasked };

export interface InquiryThrottleOptions {
  /** The previous step gave up, for either reason: until the bank answers, one inquiry shows whether it is back. */
  readonly hasGivenUpBefore: boolean;
  /** `POLL_ACTIVE`: an open breaker admits a probe within it. */
  readonly pollActiveMs: number;
}

/**
 * Sends the inquiries of one reconciliation step through the limiter, which may defer them. Stops when the bank gives
 * no answers, or the limiter gives no permit, beyond the give-up limits.
 */
export class InquiryThrottle {
  private unanswered = 0;
  /** Since when the bank has not answered; null: it answers. */
  private silentSinceMs: number | null = null;
  /** Since when the limiter has given no permit; null: it gives permits. */
  private withoutPermitSinceMs: number | null = null;
  private givenUp: Unasked | null = null;
  private limits: GiveUpLimits;

  constructor(
    private readonly limiter: Pick<BankLimiter, 'admit'>,
    { hasGivenUpBefore, pollActiveMs }: InquiryThrottleOptions,
  ) {
    this.limits = hasGivenUpBefore
      ? { silentMs: pollActiveMs, unanswered: 1, withoutPermitMs: SHORT_WITHOUT_PERMIT_MS }
      : LIMITS;
  }

  get hasGivenUp(): boolean {
    return this.givenUp !== null;
  }

  /** Runs `inquire` under a permit, or says why the bank is not asked. */
  async ask<T>(inquire: (call: InquiryCall) => Promise<T>): Promise<Asked<T>> {
    const permit = await this.permit();
    if (typeof permit === 'string') return { kind: 'not-asked', reason: permit };
    try {
      const received = (reply: LookupReply): void => {
        reportHealth(permit, reply);
        this.count(reply);
      };
      return { kind: 'asked', result: await inquire({ permit, received }) };
    } finally {
      permit.release();
    }
  }

  private async permit(): Promise<Permit | Unasked> {
    for (let returning = false; ; returning = true) {
      // The worker drains: another worker continues, and repeats no inquiry.
      if (Context.current().cancellationSignal.aborted) throw new CancelledFailure('the worker drains');
      if (this.givenUp !== null) return this.givenUp;
      const admission = await this.limiter.admit('reconciliation', { returning });
      if (admission.kind === 'admitted') {
        this.withoutPermitSinceMs = null;
        return admission.permit;
      }
      if (admission.reason === 'circuit') this.noteNoAnswer();
      else this.noteNoPermit();
      if (!this.hasGivenUp) await sleep(admission.afterMs);
    }
  }

  private count(reply: LookupReply): void {
    if (reply.kind !== 'no-answer') {
      this.unanswered = 0;
      this.silentSinceMs = null;
      this.givenUp = null;
      this.limits = LIMITS;
      return;
    }
    // The breaker already limits bad replies, so replies that are in flight when it opens do not count.
    if (this.limits.unanswered === 1 || healthOf(reply) !== 'bad') this.unanswered += 1;
    if (this.unanswered >= this.limits.unanswered) this.givenUp = 'BANK_UNREACHABLE';
    this.noteNoAnswer();
  }

  private noteNoAnswer(): void {
    const nowMs = performance.now();
    this.silentSinceMs ??= nowMs;
    if (nowMs - this.silentSinceMs > this.limits.silentMs) this.givenUp ??= 'BANK_UNREACHABLE';
  }

  private noteNoPermit(): void {
    const nowMs = performance.now();
    this.withoutPermitSinceMs ??= nowMs;
    if (nowMs - this.withoutPermitSinceMs > this.limits.withoutPermitMs) this.givenUp ??= 'NO_TURN';
  }
}
