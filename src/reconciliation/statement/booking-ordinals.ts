import type { StatementLine } from '../books';
import { StatementProblem } from './statement-problem';

const DIFFERENT_MAX = 100_000;

/**
 * Numbers, from 1, the bookings without any id that are otherwise equal, in the file's order: `orphanOfLine` tells them
 * apart by it, with the same numbers whenever the same file is read. Refuses a file with too many of them.
 */
export class BookingOrdinals {
  readonly #counts = new Map<string, number>();

  next({
    line,
    originId,
    movementId,
    networkId,
    account,
    amount,
    bookedAt,
    direction,
  }: StatementLine): number {
    if (originId !== null || movementId !== null || networkId !== null) return 1;
    const key = `${account ?? ''} ${bookedAt} ${direction} ${amount.currency} ${amount.value}`;
    const ordinal = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, ordinal);
    if (this.#counts.size > DIFFERENT_MAX) throw new StatementProblem('TOO_MANY_WITHOUT_ID', line);
    return ordinal;
  }
}
