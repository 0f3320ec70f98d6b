import type { DecisionAction } from '../../src/domain/transfer/decisions/decision';
import { judgeDecision } from '../../src/domain/transfer/decisions/judge-decision';
import { dueStep } from './requests';
import { dispatch } from './world';
import type { World } from './world';

/** An operator decides; null: the decision is refused, or is the same as before. */
export function decide(world: World, action: DecisionAction, operator: string): World | null {
  const { run, nowMs: atMs } = world;
  if (run === null) return null;
  const judged = judgeDecision(run, { action, operator, reason: 'letter' }, atMs);
  if (judged.kind !== 'decided') return null;
  const id = `run/${world.journal.nextRecordId}/${world.journal.decisions.length}/${operator}`;
  return dispatch(world, { kind: 'decided', atMs, record: { ...judged.record, id } });
}

export const hint = (world: World): World | null =>
  world.run === null || world.run.hintedAtMs !== null
    ? null
    : dispatch(world, { kind: 'hinted', atMs: world.nowMs });

export function cancel(world: World): World | null {
  if (world.run === null || world.run.cancelRequestedAtMs !== null) return null;
  const truth = { ...world.truth, isCancelled: true };
  return dispatch({ ...world, truth }, { kind: 'cancel-requested', atMs: world.nowMs });
}

/** Time passes in which no worker runs. */
export const pass = (world: World, ms: number): World => ({ ...world, nowMs: world.nowMs + ms });

/** Sets or releases the brake; null: no create may be next, so the brake has no effect. */
export const turnBrake = (world: World): World | null =>
  world.run === null || dueStep(world)?.step.do === 'create'
    ? { ...world, isSendingStopped: !world.isSendingStopped }
    : null;
