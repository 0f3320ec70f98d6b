import type { Draws } from './random';

/**
 * Where a worker may be struck. A point is a call of the journal for one transfer, so that a fault meets the same
 * moment of the same transfer each time the plan is run, whichever worker has it. `number`: of the request. `when`: before
 * or after the call, or so many ms after it.
 */
export const FAULT_POINTS = {
  'before the order is written': { call: 'openTransfer', when: 'before', number: null },
  'after the order is written': { call: 'openTransfer', when: 'after', number: null },
  "before the create's claim": { call: 'claimRequest', when: 'before', number: 1 },
  "after the create's claim": { call: 'claimRequest', when: 'after', number: 1 },
  // The bank holds these creates for longer (`isHeld`).
  'during the POST': { call: 'claimRequest', when: 300, number: 1 },
  "before the create's record": { call: 'recordAnswer', when: 'before', number: 1 },
  "after the create's record": { call: 'recordAnswer', when: 'after', number: 1 },
  "before a look-up's claim": { call: 'claimRequest', when: 'before', number: 2 },
  "after a look-up's claim": { call: 'claimRequest', when: 'after', number: 2 },
  "before a look-up's record": { call: 'recordAnswer', when: 'before', number: 2 },
  "after a look-up's record": { call: 'recordAnswer', when: 'after', number: 2 },
  // An unchanged look-up writes no record, and the run continues as new as soon as it has the answer.
  'at the thirtieth look-up': { call: 'claimRequest', when: 30, number: 31 },
  'before the annulment': { call: 'recordAnnulment', when: 'before', number: null },
  'after the annulment': { call: 'recordAnnulment', when: 'after', number: null },
  'before the result': { call: 'recordResult', when: 'before', number: null },
  'after the result': { call: 'recordResult', when: 'after', number: null },
} as const;
export type FaultPoint = keyof typeof FAULT_POINTS;

/** A worker is killed, or stopped for a while, when this transfer reaches this point. */
export interface PlannedFault {
  readonly originId: number;
  readonly point: FaultPoint;
  readonly action: 'kill' | 'stop';
  /** How long it stands still. */
  readonly stopMs: number;
}

const FAULT_SHARE = 0.5;
const KILL_SHARE = 0.8;

/** The points that a transfer may reach, by its bank's behaviour. */
export interface Course {
  /** The bank's last status; null: it reports none, or none that ends the transfer. */
  readonly lastWord: 'COMPLETED' | 'FAILED' | null;
  /** The transfer is looked up more than thirty times. */
  readonly isLong: boolean;
  /** The bank holds the first create for longer than it takes to strike a worker meanwhile. */
  readonly isHeld: boolean;
}

/** Points that few transfers come to are drawn more often for these. Zero: never. */
function weightsFor({ lastWord, isLong, isHeld }: Course): Readonly<Record<FaultPoint, number>> {
  const each = Object.fromEntries(Object.keys(FAULT_POINTS).map((point) => [point, 1]));
  const ended = lastWord === 'COMPLETED' ? 2 : 0;
  const annulled = lastWord === 'FAILED' ? 3 : 0;
  return {
    ...(each as Record<FaultPoint, number>),
    ...{ 'at the thirtieth look-up': isLong ? 30 : 0, 'during the POST': isHeld ? 20 : 0 },
    ...{ 'before the annulment': annulled, 'after the annulment': annulled },
    ...{ 'before the result': ended, 'after the result': ended },
  };
}

/** Null: this transfer meets none. */
export function plannedFault(draws: Draws, originId: number, course: Course): PlannedFault | null {
  if (!draws.chance(FAULT_SHARE)) return null;
  return {
    originId,
    point: draws.weighted(weightsFor(course)),
    action: draws.chance(KILL_SHARE) ? 'kill' : 'stop',
    stopMs: draws.between(1_000, 15_000),
  };
}
