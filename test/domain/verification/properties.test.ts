import fc from 'fast-check';
import type { VerificationAnswer } from '../../../src/domain/verification/events';
import { verificationRetryAfterMs } from '../../../src/domain/verification/events';
import { verificationView } from '../../../src/domain/verification/view';
import { MISMATCH, NOT_FOUND, PENDING, SETTINGS, Tracked, error, status } from './tracked';

const RUNS = Number(process.env['GIRO_PROPERTY_RUNS'] ?? 500);

const retryAfterMs = fc.option(fc.nat(3_600_000));
const answer: fc.Arbitrary<VerificationAnswer> = fc.oneof(
  fc.constantFrom(PENDING, NOT_FOUND, MISMATCH, status('En revisión'), status('Otra')),
  fc.constant(status('Aprobado', 'approved', { isEchoed: false })),
  retryAfterMs.map((ms) => error('HTTP_STATUS', ms)),
  fc.constantFrom(error('UNAUTHORIZED'), error('TIMEOUT')),
);
type Step =
  { readonly answer: VerificationAnswer } | { readonly hintAfterMs: number } | { readonly deferMs: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: answer.map((it) => ({ answer: it })) },
  { weight: 1, arbitrary: fc.nat(100_000).map((hintAfterMs) => ({ hintAfterMs })) },
  { weight: 1, arbitrary: fc.nat(10_000).map((deferMs) => ({ deferMs })) },
);
const script = fc.array(step, { maxLength: 200 });

test('whatever comes: gaps within their bounds, no outcome without one, a state that JSON carries', () => {
  fc.assert(
    fc.property(script, (steps) => {
      const tracked = new Tracked();
      let before: VerificationAnswer | null = null;
      let deferredMs = 0;
      for (const next of steps) {
        if ('hintAfterMs' in next) {
          tracked.nowMs += next.hintAfterMs;
          tracked.happen({ kind: 'hinted' });
        } else if ('deferMs' in next) {
          tracked.happen({ kind: 'deferred', afterMs: next.deferMs });
          deferredMs += next.deferMs;
        } else {
          const idleMs = tracked.nowMs - (tracked.state.asking.lastEndedAtMs ?? tracked.nowMs);
          const gapMs = tracked.ask(next.answer);
          if (before !== null) {
            const boundMs = verificationRetryAfterMs(before);
            expect(gapMs).toBeGreaterThanOrEqual(Math.max(SETTINGS.pollMs, boundMs));
            expect(gapMs).toBeLessThanOrEqual(Math.max(SETTINGS.pollMaxMs, boundMs) + idleMs + deferredMs);
          }
          before = next.answer;
          deferredMs = 0;
        }
        const { state } = tracked;
        expect(state.stage.name).toBe('tracking');
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
        expect(state.history.length).toBeLessThanOrEqual(50);
        const words = state.history.map((entry) => entry.status);
        expect(words.filter((word, i) => word === words[i - 1])).toEqual([]);
        const view = verificationView(state, (ms) => new Date(ms).toISOString());
        expect([view.outcome, view.needsAttention]).toEqual([null, tracked.reasons.length > 0]);
      }
    }),
    { numRuns: RUNS },
  );
});
