/** What people did or looked at, append-only. */
export interface AuditTrail {
  recordAudit(entry: NewAuditEntry): Promise<AuditEntry>;
  /** Newest first. */
  auditEntries(filter: AuditFilter): Promise<readonly AuditEntry[]>;
}

export interface NewAuditEntry {
  /** Lower-case words of a command, e.g. `sending stop`, `kyc show`. */
  readonly action: string;
  /** What it was about, at most 255 characters; null: all of Giro. No personal data. */
  readonly subject: string | null;
  /** 1–100 characters, as named by whoever ran it: not authenticated. */
  readonly operator: string;
  /** At most 1,000 characters. */
  readonly reason: string | null;
  /** Plain JSON without personal data or secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface AuditEntry extends Required<NewAuditEntry> {
  /** ISO UTC. */
  readonly at: string;
}

export interface AuditFilter {
  readonly subject?: string;
  readonly action?: string;
  readonly limit: number;
}
