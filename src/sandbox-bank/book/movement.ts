import type { BankOrder } from '../order';
import type { Behaviour } from '../rules/rule-set';

/** A movement in the bank's books. */
export interface BankMovement {
  readonly id: string;
  readonly network: string;
  /** 22 characters. */
  readonly networkId: string;
  readonly debinId: string;
  readonly order: BankOrder;
  readonly behaviour: Behaviour;
  /** ISO UTC, milliseconds. */
  readonly createdAt: string;
  /** When a final status was first reported; null: not yet. */
  completedAt: string | null;
  states: readonly string[];
  /** Index into `states`. */
  position: number;
}

export const currentStatus = (movement: BankMovement): string =>
  // `states` has at least one status, and `position` stays within it.
  movement.states[movement.position] ?? '';

/** Advances by one state; the last state stays. */
export function advance(movement: BankMovement): void {
  if (movement.position < movement.states.length - 1) movement.position += 1;
  noteFinal(movement);
}

/** Gives the movement new states; the first takes effect at once. */
export function restate(movement: BankMovement, states: readonly string[]): void {
  movement.states = states;
  movement.position = 0;
  noteFinal(movement);
}

function noteFinal(movement: BankMovement): void {
  const status = currentStatus(movement);
  if (status === 'COMPLETED' || status === 'FAILED') movement.completedAt ??= new Date().toISOString();
  else movement.completedAt = null;
}
