import type { SeenMovement } from './answers';

/** Status and ids by the answers about our order. Times in ms, by the clock of the run or of the journal. */
export interface MovementStatusView {
  /** Status of the last answer about our order. */
  readonly status: string | null;
  readonly statusSinceMs: number | null;
  /** When the statuses began to require the current cadence, active or delayed; null: at the opening. */
  readonly paceSinceMs: number | null;
  readonly movementId: string | null;
  readonly network: string | null;
  readonly networkId: string | null;
}

/** Statuses kept in a history. */
export const HISTORY_MAX = 50;

export const NO_STATUS: MovementStatusView = {
  status: null,
  statusSinceMs: null,
  paceSinceMs: null,
  movementId: null,
  network: null,
  networkId: null,
};

/** The ids after a decision that discards the reported ids. */
export const NO_IDS = { movementId: null, network: null, networkId: null } as const;

/** If an answer lacks an id, the known id stays. */
export function withStatus<View extends MovementStatusView>(
  view: View,
  seen: SeenMovement,
  atMs: number,
): View {
  return {
    ...view,
    status: seen.status,
    statusSinceMs: view.status === seen.status ? view.statusSinceMs : atMs,
    paceSinceMs: isDelayed(view.status) === isDelayed(seen.status) ? view.paceSinceMs : atMs,
    movementId: seen.movementId ?? view.movementId,
    network: seen.network ?? view.network,
    networkId: seen.networkId ?? view.networkId,
  };
}

const isDelayed = (status: string | null): boolean => status === 'DELAYED';
