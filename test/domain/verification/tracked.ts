import type {
  VerificationAnswer,
  VerificationEvent,
  RecordedVerification,
} from '../../../src/domain/verification/events';
import { applyToVerification } from '../../../src/domain/verification/apply';
import { verificationDueMs } from '../../../src/domain/verification/next-step';
import { openVerificationReasons } from '../../../src/domain/verification/flags';
import { DEFAULT_VERIFICATION_SETTINGS, initialVerification } from '../../../src/domain/verification/state';
import type { VerificationSettings, VerificationState } from '../../../src/domain/verification/state';
import type { Meaning } from '../../../src/domain/verification/status-map';

/** A verification that runs in the domain only, with a virtual clock. */
export const SETTINGS = DEFAULT_VERIFICATION_SETTINGS;
const NEW: RecordedVerification = { wasTracked: false, sinceOpenedMs: 0, statuses: [], openFlags: [] };

export const status = (word: string, meaning: Meaning | null = null, rest = {}): VerificationAnswer => ({
  ...{ kind: 'status', status: word, meaning, statusDate: null, isEchoed: true, leftFinal: false },
  ...{ retryAfterMs: null },
  ...rest,
});
export const PENDING = status('Pendiente', 'pending');
export const NOT_FOUND: VerificationAnswer = { kind: 'not-found', retryAfterMs: null };
export const MISMATCH: VerificationAnswer = { kind: 'mismatch', retryAfterMs: null };
export const error = (
  code: 'UNAUTHORIZED' | 'TIMEOUT' | 'HTTP_STATUS' | 'STEP_LOST',
  retryAfterMs: number | null = null,
): VerificationAnswer => ({ kind: 'no-answer', error: { code, httpStatus: null, retryAfterMs } });

export class Tracked {
  state: VerificationState;

  constructor(
    recorded: Partial<RecordedVerification> = {},
    settings: VerificationSettings = SETTINGS,
    public nowMs = 1_000_000,
  ) {
    this.state = initialVerification('r-1', nowMs);
    this.happen({ kind: 'received', settings, recorded: { ...NEW, ...recorded } });
  }

  /** Waits until the next request is due, answers it `tookMs` later, and returns the gap before it. */
  ask(
    answer: VerificationAnswer,
    { tookMs = 100, settings = null as VerificationSettings | null } = {},
  ): number {
    const endedMs = this.state.asking.lastEndedAtMs ?? this.nowMs;
    const startedAtMs = Math.max(this.nowMs, verificationDueMs(this.state));
    this.nowMs = startedAtMs + tookMs;
    this.happen({ kind: 'asked', startedAtMs, answer, settings });
    return startedAtMs - endedMs;
  }

  happen(event: DistributiveOmit<VerificationEvent, 'atMs'>): void {
    this.state = applyToVerification(this.state, { ...event, atMs: this.nowMs });
  }

  get reasons() {
    return openVerificationReasons(this.state.flags);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
