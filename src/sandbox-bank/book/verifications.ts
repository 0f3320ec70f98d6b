import type { Step } from '../rules/fault-schema';
import { stepAt } from '../rules/rule-set';
import type { VerificationBehaviour } from '../rules/verification-rule-schema';

/** A verification request in the bank's books, from the first query on. */
export interface BankVerification {
  readonly requestId: string;
  readonly behaviour: VerificationBehaviour;
  readonly requestedAt: string;
  statuses: readonly string[];
  /** Index into `statuses`; -1: none reported yet. */
  position: number;
  /** When the current status was first reported, ISO UTC. */
  statusAt: string;
  /** Number of answered queries, then of all queries. */
  answers: number;
  queries: number;
}

/** The bank's audit view of a verification. */
export interface VerificationRecord {
  readonly requestId: string;
  /** Null: none reported yet. */
  readonly status: string | null;
  readonly person: 'natural' | 'legal';
  readonly queries: number;
  readonly answers: number;
}

/** Verification requests by requestId. */
export class Verifications {
  private byId = new Map<string, BankVerification>();

  /** The first query selects the rule, which then stays. */
  dossierFor(requestId: string, choose: (requestId: string) => VerificationBehaviour): BankVerification {
    const known = this.byId.get(requestId);
    if (known !== undefined) return known;
    const behaviour = choose(requestId);
    const now = new Date().toISOString();
    const verification: BankVerification = {
      ...{ requestId, behaviour, requestedAt: now, statuses: behaviour.statuses },
      ...{ position: -1, statusAt: now, answers: 0, queries: 0 },
    };
    this.byId.set(requestId, verification);
    return verification;
  }

  nextStep(verification: BankVerification): Step {
    verification.queries += 1;
    return stepAt(verification.behaviour.query, verification.queries - 1);
  }

  /** Advances by one status (the last stays) and counts an answer. Returns the status to report. */
  advance(verification: BankVerification): string {
    verification.answers += 1;
    if (verification.position < verification.statuses.length - 1) {
      const before = statusOf(verification);
      verification.position += 1;
      if (statusOf(verification) !== before) verification.statusAt = new Date().toISOString();
    }
    return statusOf(verification);
  }

  /** Sets new statuses; the next query reports the first of them. False: no such verification. */
  restate(requestId: string, statuses: readonly string[]): boolean {
    const verification = this.byId.get(requestId);
    if (verification === undefined) return false;
    verification.statuses = statuses;
    verification.position = -1;
    return true;
  }

  records(): readonly VerificationRecord[] {
    return [...this.byId.values()].map(record);
  }

  record(requestId: string): VerificationRecord | null {
    const verification = this.byId.get(requestId);
    return verification === undefined ? null : record(verification);
  }

  reset(): void {
    this.byId = new Map();
  }
}

/** Empty before the first report. */
const statusOf = ({ statuses, position }: BankVerification): string => statuses[position] ?? '';

const record = (verification: BankVerification): VerificationRecord => ({
  requestId: verification.requestId,
  status: verification.position < 0 ? null : statusOf(verification),
  person: verification.behaviour.person,
  queries: verification.queries,
  answers: verification.answers,
});
