import type { TransferOrder } from '../domain/order';
import type { RunState } from './books';

/** What a reconciliation asks of the engine, and what it has it do. */
export interface ReconciliationEngine {
  /** By describe: exact at once. `unknown`: the engine could not be asked. */
  look(originId: number): Promise<RunState>;
  /** originIds of the transfer runs that started in the window, by the engine's index; `token` null: there is no more. */
  started(page: {
    readonly from: string;
    readonly to: string;
    readonly token: string | null;
  }): Promise<{ readonly originIds: readonly number[]; readonly token: string | null }>;
  /** Has the run ask the bank as soon as it may. Does not throw: the next reconciliation would hint again. */
  hint(originId: number, eventId: string): Promise<void>;
  /** Starts a lost run again, by the rules of recovery. Does not throw: recovery does the same each minute. */
  restart(originId: number, order: TransferOrder): Promise<void>;
}
