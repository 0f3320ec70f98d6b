import type { Draws } from './random';

/**
 * The points at which a worker may be killed or stopped. At a point, the worker calls the journal about one transfer,
 * or completes the workflow task that continues its run as new. So a fault strikes at the same moment of the same
 * transfer each time that the plan is played, whichever worker has the transfer.
 * `number`: the request's number; null: any; `later`: above 1. `kind`: of the request; absent: any. `when`: before or
 * after the call, or a number of ms after it.
 */
export const FAULT_POINTS = {
  'before the order is written': { call: 'openTransfer', when: 'before', number: null },
  'after the order is written': { call: 'openTransfer', when: 'after', number: null },
  "before the create's claim": { call: 'claimRequest', when: 'before', number: 1 },
  "after the create's claim": { call: 'claimRequest', when: 'after', number: 1 },
  // Drawn only for creates that the bank holds for longer than this (`isHeld`).
  'during the POST': { call: 'claimRequest', when: 300, number: 1 },
  "before the create's record": { call: 'recordAnswer', when: 'before', number: 1 },
  "after the create's record": { call: 'recordAnswer', when: 'after', number: 1 },
  "before a repeated create's claim": {
    ...{ call: 'claimRequest', when: 'before', number: 'later', kind: 'create' },
  },
  "after a repeated create's claim": {
    ...{ call: 'claimRequest', when: 'after', number: 'later', kind: 'create' },
  },
  "before a look-up's claim": { call: 'claimRequest', when: 'before', number: 2, kind: 'lookup' },
  "after a look-up's claim": { call: 'claimRequest', when: 'after', number: 2, kind: 'lookup' },
  "before a look-up's record": { call: 'recordAnswer', when: 'before', number: 2 },
  "after a look-up's record": { call: 'recordAnswer', when: 'after', number: 2 },
  // Soon after the claim, because an unchanged look-up writes no record.
  'at the thirtieth look-up': { call: 'claimRequest', when: 30, number: 31 },
  'before continue-as-new': { call: 'continueAsNew', when: 'before', number: null },
  'after continue-as-new': { call: 'continueAsNew', when: 'after', number: null },
  'before flags are recorded': { call: 'recordFlags', when: 'before', number: null },
  'after flags are recorded': { call: 'recordFlags', when: 'after', number: null },
  'before a decision is recorded': { call: 'recordDecision', when: 'before', number: null },
  'after a decision is recorded': { call: 'recordDecision', when: 'after', number: null },
  'after the withdrawal': { call: 'claimRequest', when: 'after', number: null, kind: 'withdrawal' },
  'before the annulment': { call: 'recordAnnulment', when: 'before', number: null },
  'after the annulment': { call: 'recordAnnulment', when: 'after', number: null },
  'before the result': { call: 'recordResult', when: 'before', number: null },
  'after the result': { call: 'recordResult', when: 'after', number: null },
} as const satisfies Record<string, CallOfPoint>;
export type FaultPoint = keyof typeof FAULT_POINTS;

export interface CallOfPoint {
  readonly call: string;
  readonly when: 'before' | 'after' | number;
  readonly number: number | 'later' | null;
  readonly kind?: string;
}

/** A worker is killed, or stopped for a while, when this transfer reaches this point. */
export interface PlannedFault {
  readonly originId: number;
  readonly point: FaultPoint;
  readonly action: 'kill' | 'stop';
  /** For `stop`: how long the worker is stopped. */
  readonly stopMs: number;
}

const FAULT_SHARE = 0.35;
/** Of the transfers that run long, are decided about or are cancelled, because only they reach certain points. */
const FAULT_SHARE_OF_RARE = 0.9;
const KILL_SHARE = 0.8;
/** This share of the stops lasts beyond every time-out. */
const LONG_STOP_SHARE = 0.1;

/** Which points a transfer can reach; this depends on what the bank does with the transfer. */
export interface Course {
  /** The bank's last status; null: it reports none, or none that ends the transfer. */
  readonly lastStatus: 'COMPLETED' | 'FAILED' | null;
  /** The transfer is looked up more than thirty times. */
  readonly isLong: boolean;
  /** The bank holds the first create long enough to strike a worker meanwhile. */
  readonly isHeld: boolean;
  /** The bank does not take the first create, so that the create is repeated. */
  readonly isRepeated: boolean;
  /** The bank's answers need a person. */
  readonly isFlagged: boolean;
  /** An operator decides about the transfer while it is flagged. */
  readonly isDecided: boolean;
  readonly isCancelled: boolean;
}

/** The part of the course that the bank decides. */
export type BankCourse = Omit<Course, 'isDecided' | 'isCancelled'>;

/** The weights of the points for one transfer. Points that few transfers reach weigh more; 0: unreachable. */
function weightsFor(course: Course): Readonly<Record<FaultPoint, number>> {
  const { lastStatus, isLong, isHeld, isRepeated, isFlagged, isDecided, isCancelled } = course;
  const each = Object.fromEntries(Object.keys(FAULT_POINTS).map((point) => [point, 1]));
  const ended = lastStatus === 'COMPLETED' ? 2 : 0;
  const annulled = lastStatus === 'FAILED' ? 3 : 0;
  return {
    ...(each as Record<FaultPoint, number>),
    ...{ 'at the thirtieth look-up': isLong ? 40 : 0, 'during the POST': isHeld ? 20 : 0 },
    ...{ 'before continue-as-new': isLong ? 40 : 0, 'after continue-as-new': isLong ? 40 : 0 },
    ...{ "before a repeated create's claim": isRepeated ? 14 : 0 },
    ...{ "after a repeated create's claim": isRepeated ? 14 : 0 },
    ...{ 'before flags are recorded': isFlagged ? 6 : 0, 'after flags are recorded': isFlagged ? 6 : 0 },
    ...{
      'before a decision is recorded': isDecided ? 14 : 0,
      'after a decision is recorded': isDecided ? 14 : 0,
    },
    ...{ 'after the withdrawal': isCancelled ? 6 : 0 },
    ...{ 'before the annulment': annulled, 'after the annulment': annulled },
    ...{ 'before the result': ended, 'after the result': ended },
  };
}

/** Null: no fault is planned for this transfer. */
export function plannedFault(draws: Draws, originId: number, course: Course): PlannedFault | null {
  const isRare = course.isLong || course.isDecided || course.isCancelled;
  if (!draws.chance(isRare ? FAULT_SHARE_OF_RARE : FAULT_SHARE)) return null;
  return {
    originId,
    point: draws.weighted(weightsFor(course)),
    action: draws.chance(KILL_SHARE) ? 'kill' : 'stop',
    stopMs: draws.chance(LONG_STOP_SHARE) ? draws.between(60_000, 150_000) : draws.between(1_000, 15_000),
  };
}
