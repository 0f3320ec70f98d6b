import type { Contradiction } from '../domain/post-final';
import type { TransferResult } from '../domain/transfer/result';

/** Answers of inquiries that contradict how a transfer ended. Results never change, and no incident closes by itself. */
export interface Incidents {
  /** Newest first. `open`: those that nobody has acknowledged. */
  incidents(filter: { readonly open: boolean; readonly limit: number }): Promise<readonly Incident[]>;

  /** Takes an incident off the list of what needs attention; the incident stays. Null: there is no such incident. */
  acknowledgeIncident(acknowledgement: NewAcknowledgement): Promise<Acknowledged | null>;
}

/** A final state that the bank contradicted. */
export interface Incident {
  readonly id: string;
  readonly originId: number;
  readonly fact: Contradiction;
  /** For people. */
  readonly sentence: string;
  /** How the transfer ended. */
  readonly finalStatus: TransferResult['status'];
  /** Of the contradicting answer, like the ids; null: it had none, or found nothing. */
  readonly bankStatus: string | null;
  readonly movementId: string | null;
  readonly networkId: string | null;
  readonly evidenceSha256: string | null;
  /** ISO UTC. */
  readonly at: string;
  readonly acknowledged: Acknowledgement | null;
}

export interface Acknowledgement {
  readonly operator: string;
  readonly note: string;
  /** ISO UTC. */
  readonly at: string;
}

export interface NewAcknowledgement {
  readonly incidentId: string;
  readonly operator: string;
  readonly note: string;
}

export interface Acknowledged {
  readonly incident: Incident;
  /** False: somebody had done so before, see `incident.acknowledged`. */
  readonly now: boolean;
}
