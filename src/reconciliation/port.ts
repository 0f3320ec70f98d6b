import type { TransferOrder } from '../domain/order';
import type { RunState } from './books';

/** What a reconciliation needs from Temporal. */
export interface ReconciliationEngine {
  /** Uses describe, which is exact at once. `unknown`: Temporal could not be asked. */
  observe(originId: number): Promise<RunState>;
  /**
   * originIds of the transfer runs that started in the window, from Temporal's index; `token` null: this is the last
   * page.
   */
  started(page: {
    readonly from: string;
    readonly to: string;
    readonly token: string | null;
  }): Promise<{ readonly originIds: readonly number[]; readonly token: string | null }>;
  /** Makes the run ask the bank as soon as allowed. Does not throw: the next reconciliation would hint again. */
  hint(originId: number, eventId: string): Promise<void>;
  /** Starts a lost run again, by the rules of recovery. Does not throw: recovery does the same each minute. */
  restart(originId: number, order: TransferOrder): Promise<void>;
}
