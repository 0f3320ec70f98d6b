import type { StatementLine } from '../books';
import { StatementProblem } from './statement-problem';

const DIFFERENT_MAX = 100_000;
/** Bookings of one movement stand together; a file has as many movements as lines. */
const REMEMBERED_MAX = 10_000;

/**
 * Numbers, from 1, the bookings that are otherwise equal, in the file's order: those with ids by them, account and
 * amount, over the last ten thousand different ones; those without any by day, account and amount, over the whole
 * file, which is refused when it has too many of them. `orphanOfLine` distinguishes them by this number, which is the
 * same whenever the same file is read.
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
    // The last of the map is the one that was seen last.
    this.#byIds.delete(key);
    this.#byIds.set(key, ordinal);
    if (this.#byIds.size > REMEMBERED_MAX) {
      const [oldest] = this.#byIds.keys();
      if (oldest !== undefined) this.#byIds.delete(oldest);
    }
    return ordinal;
  }
}
