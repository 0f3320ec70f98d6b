import type { SendingStop } from '../domain/transfer/records';

/** A change of the emergency brake. */
export interface BrakeChange extends SendingStop {
  readonly stopped: boolean;
}

/** The newest change of the emergency brake that this process has seen. Answers may arrive out of order. */
export class SeenBrake {
  #newest: BrakeChange | null = null;

  see(change: BrakeChange): void {
    // ISO UTC with milliseconds, so the order of the texts is that of the times.
    if (this.#newest === null || change.at > this.#newest.at) this.#newest = change;
  }

  /** The stop that holds as far as this process knows; null: none. */
  stop(): SendingStop | null {
    return this.#newest?.stopped === true ? stopOf(this.#newest) : null;
  }
}

export const stopOf = ({ at, operator, reason }: BrakeChange): SendingStop => ({ at, operator, reason });
