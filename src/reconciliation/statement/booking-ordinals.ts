import type { StatementLine } from '../books';
import { StatementProblem } from './statement-problem';

const DIFFERENT_MAX = 100_000;
/** Bookings of one movement are close together, but a file may have as many movements as lines. */
const REMEMBERED_MAX = 10_000;

/**
 * Numbers otherwise equal bookings from 1, in the file's order. Bookings with ids are equal by ids, account, direction
 * and amount; the last ten thousand different ones are remembered. Bookings without ids are equal by booking time,
 * account, direction and amount; all are remembered, and a file with too many is refused. `orphanOfLine` distinguishes
 * bookings by this number, which is the same each time the file is read.
 */
export class BookingOrdinals {
  readonly #counts = new Map<string, number>();
  readonly #byIds = new Map<string, number>();

  next(booking: StatementLine): number {
    const { line, originId, movementId, networkId, account, amount, bookedAt, direction } = booking;
    const sum = `${account ?? ''} ${direction} ${amount.currency} ${amount.value}`;
    if (originId !== null || movementId !== null || networkId !== null) {
      return this.#nextOfIds(`${movementId ?? ''} ${networkId ?? ''} ${String(originId)} ${sum}`);
    }
    const key = `${bookedAt} ${sum}`;
    const ordinal = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, ordinal);
    if (this.#counts.size > DIFFERENT_MAX) throw new StatementProblem('TOO_MANY_WITHOUT_ID', line);
    return ordinal;
  }

  #nextOfIds(key: string): number {
    const ordinal = (this.#byIds.get(key) ?? 0) + 1;
    // Moves the key to the end of the map, whose first key is then the one that was not seen for longest.
    this.#byIds.delete(key);
    this.#byIds.set(key, ordinal);
    if (this.#byIds.size > REMEMBERED_MAX) {
      const [oldest] = this.#byIds.keys();
      if (oldest !== undefined) this.#byIds.delete(oldest);
    }
    return ordinal;
  }
}
