import { madeUpOrder } from '../../dev/made-up-order';
import type { TransferOrder } from '../../src/domain/order';
import type { SandboxRule } from '../../src/sandbox-bank';

/** The gap between two requests, for all contestants. */
export const POLL_MS = 50;
/** The bank's delay for creates that must be in flight when a worker is killed. */
export const SLOW_MS = 5_000;
/** More than one run of a transfer makes. */
const LONG_POLLS = 40;

const IN_PROGRESS = (times: number): readonly string[] => Array.from({ length: times }, () => 'IN_PROGRESS');

/** The bank's statuses for an order, by the order's description. */
const STATES = {
  short: ['CREATED', 'IN_PROGRESS', 'COMPLETED'],
  failed: ['CREATED', 'IN_PROGRESS', 'FAILED'],
  'one more poll': ['CREATED', ...IN_PROGRESS(2), 'COMPLETED'],
  long: ['CREATED', ...IN_PROGRESS(LONG_POLLS - 1), 'COMPLETED'],
  slow: ['CREATED', 'IN_PROGRESS', 'COMPLETED'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Course = keyof typeof STATES;

/** Number of look-ups until a final status. */
export const pollsOf = (course: Course): number => STATES[course].length - 1;

export const RULES: readonly SandboxRule[] = (Object.keys(STATES) as Course[]).map((course) => ({
  match: { description: course },
  states: STATES[course],
  ...(course === 'slow' ? { create: [{ fault: 'slow', delayMs: SLOW_MS }] } : {}),
}));

let lastOriginId = 0;

/** Orders with new originIds. */
export const newOrders = (count: number, course: Course): readonly TransferOrder[] =>
  Array.from({ length: count }, () => madeUpOrder((lastOriginId += 1), course));
