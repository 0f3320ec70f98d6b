import fc from 'fast-check';
import { operatorKey } from '../../../src/domain/operator';
import { openReasons } from '../../../src/domain/transfer/flags';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import { script, vanishing } from './scripts';
import { expect } from '../../support/quick-expect';
import { live } from './world';
import type { Decided, Trace } from './world';

/** A held transfer is asked every 6 h, so that a walk of 260 steps reaches days after the last send. */
const settings = { ...DEFAULT_TRANSFER_SETTINGS, pollDelayedMs: 6 * 3_600_000, needsDeciders: false };
const RUNS = Number(process.env['GIRO_PROPERTY_RUNS'] ?? 1_500);
const STEPS = 260;
const DAY_MS = 86_400_000;

const accepted = ({ decisions }: Trace, action: string): readonly Decided[] =>
  decisions.filter(({ record }) => record.outcome === 'accepted' && record.action === action);

const resultOf = ({ state }: Trace) => (state.stage.name === 'ended' ? state.stage.result : null);

const RULES: Readonly<Record<string, (trace: Trace) => void>> = {
  'every acceptance is of two different operators, the first of whom proposed it before': (trace) => {
    for (const [index, { record, before }] of trace.decisions.entries()) {
      if (record.outcome !== 'accepted') continue;
      expect(new Set(record.operators.map(operatorKey)).size).toBe(2);
      const earlier = trace.decisions
        .slice(0, index)
        .findLast(
          (one) => one.record.action === record.action && one.record.operator === record.operators[0],
        );
      expect(earlier?.record.outcome).toBe('proposed');
      expect(before.decisions.proposals.map(({ id }) => id)).toContain(earlier?.record.id);
    }
  },

  'a new word of the bank ends every proposal, and the journal has a line of it': (trace) => {
    for (const [index, request] of trace.requests.entries()) {
      const next = trace.requests[index + 1]?.before;
      const before = request.before;
      if (next === undefined || next.bank.lastStatus === before.bank.lastStatus) continue;
      const old = before.decisions.proposals.map(({ id }) => id);
      expect(next.decisions.proposals.filter(({ id }) => old.includes(id))).toEqual([]);
    }
    const ids = trace.lines.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const voided = trace.lines.filter(({ outcome }) => outcome === 'voided').map(({ id }) => id);
    for (const id of voided) expect(ids).toContain(id.replace('void/', ''));
  },

  'an acceptance follows a proposal made under the same flags and the same last movement': (trace) => {
    for (const [index, { record, before }] of trace.decisions.entries()) {
      if (record.outcome !== 'accepted') continue;
      const first = trace.decisions
        .slice(0, index)
        .findLast(({ record: { id } }) => before.decisions.proposals[0]?.id === id);
      const [then, now] = [first!.before, before].map(({ bank }) => bank.lastAnswer);
      expect(now && { ...now, number: 0, atMs: 0 }).toEqual(then && { ...then, number: 0, atMs: 0 });
    }
  },

  'every decision is in the journal before the next request and before the end': (trace) => {
    expect(trace.requests.filter(({ before }) => before.decisions.unrecorded.length > 0)).toEqual([]);
    if (trace.steps.at(-1)?.do !== 'end') return;
    const recorded = trace.lines.filter(({ outcome }) => outcome !== 'voided').map(({ id }) => id);
    expect(recorded).toEqual(trace.decisions.map(({ record }) => record.id));
  },

  'nothing is decided without an open flag, after the end, or about an end being written': (trace) => {
    for (const { before, record } of trace.decisions) {
      expect(['sending', 'looking-up', 'polling']).toContain(before.stage.name);
      if (record.outcome !== 'withdrawn') expect(openReasons(before.flags)).not.toEqual([]);
    }
  },

  'resend: inside the window, at most three sends, never once a look-up found a movement': (trace) => {
    for (const { atMs, before, requestsBefore } of accepted(trace, 'resend')) {
      const earlier = trace.requests.slice(0, requestsBefore);
      const sends = earlier.filter(({ kind, answer }) => kind === 'create' && answer.kind !== 'not-sent');
      expect(sends.length).toBeGreaterThan(0);
      expect(sends.length).toBeLessThan(3);
      expect(atMs - sends[0]!.startMs).toBeLessThan(settings.resendWindowMs);
      expect(earlier.filter(({ answer }) => answer.kind === 'movement')).toEqual([]);
      expect(before.flags.OUTCOME_UNKNOWN ?? before.flags.VANISHED).toBeDefined();
    }
  },

  'resume under OUTCOME_UNKNOWN or VANISHED sends nothing more by itself': (trace) => {
    for (const { before, record, requestsBefore } of trace.decisions) {
      if (record.outcome !== 'resumed') continue;
      if ((before.flags.OUTCOME_UNKNOWN ?? before.flags.VANISHED) === undefined) continue;
      const later = trace.requests.slice(requestsBefore).find(({ kind }) => kind === 'create');
      const resent = accepted(trace, 'resend').some((one) => one.requestsBefore >= requestsBefore);
      if (!resent) expect(later).toBeUndefined();
    }
  },

  'accept-not-taken: a day after the last send and on a young not-found, or on an answer that is not ours': (
    trace,
  ) => {
    for (const { atMs, requestsBefore } of accepted(trace, 'accept-not-taken')) {
      const earlier = trace.requests.slice(0, requestsBefore);
      const readable = earlier.findLast(
        ({ answer }) =>
          answer.kind === 'movement' || answer.kind === 'not-found' || answer.kind === 'answered',
      );
      if (readable?.answer.kind === 'not-found') {
        const lastSend = earlier.findLast(
          ({ kind, answer }) => kind === 'create' && answer.kind !== 'not-sent',
        );
        expect(atMs - lastSend!.startMs).toBeGreaterThanOrEqual(DAY_MS);
        expect(atMs - readable.endMs).toBeLessThan(settings.pollDelayedMs);
      } else {
        const seen =
          readable !== undefined && 'movement' in readable.answer ? readable.answer.movement : null;
        expect(seen).not.toBeNull();
      }
    }
  },

  'accept-completed and accept-failed carry the ids of the last answer, which says so or has an unknown status':
    (trace) => {
      for (const [action, status] of [
        ['accept-completed', 'COMPLETED'],
        ['accept-failed', 'FAILED'],
      ] as const) {
        for (const { before, record } of accepted(trace, action)) {
          const told = before.bank.lastAnswer!;
          expect([status, 'REVIEW']).toContain(told.status);
          const result = resultOf(trace);
          if (result === null) continue;
          expect(result).toMatchObject({
            status,
            decidedBy: 'operators',
            movementId: told.movementId,
            network: told.network,
            networkId: told.networkId,
          });
          expect(trace.lines.at(-1)?.id).toBe(record.id);
        }
      }
    },

  'a result is the operators’ exactly when they accepted an end, and then the bank is not asked again': (
    trace,
  ) => {
    const ends = trace.decisions.filter(
      ({ record }) => record.outcome === 'accepted' && record.action !== 'resend',
    );
    expect(ends.length).toBeLessThanOrEqual(1);
    const result = resultOf(trace);
    if (result !== null) expect(result.decidedBy === 'operators').toBe(ends.length === 1);
    for (const { requestsBefore } of ends) expect(trace.requests).toHaveLength(requestsBefore);
  },
};

describe('whatever operators try', () => {
  it.each(['random walks', 'movements that vanish'] as const)('every rule holds: %s', (walk) => {
    fc.assert(
      fc.property(walk === 'random walks' ? script : vanishing, (s) => {
        const trace = live(s, STEPS, settings);
        for (const [rule, check] of Object.entries(RULES)) {
          try {
            check(trace);
          } catch (error) {
            throw new Error(`broken: ${rule}`, { cause: error });
          }
        }
      }),
      { numRuns: walk === 'random walks' ? RUNS : RUNS / 10 },
    );
  });

  it('the walks reach every kind of decision', () => {
    const reached = new Set<string>();
    for (const s of [
      ...fc.sample(script, { numRuns: RUNS, seed: 17 }),
      ...fc.sample(vanishing, { numRuns: RUNS / 10, seed: 17 }),
    ]) {
      for (const { record } of live(s, STEPS, settings).decisions) {
        if (record.outcome !== 'proposed') reached.add(`${record.outcome} ${record.action}`);
      }
    }
    expect([...reached].sort()).toEqual([
      'accepted accept-completed',
      'accepted accept-failed',
      'accepted accept-not-taken',
      'accepted resend',
      'resumed resume',
      'withdrawn withdraw',
    ]);
  });
});
