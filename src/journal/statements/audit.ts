import type { JournalContext } from '../context';

export interface NewAuditEntry {
  /** Lower-case words of a command, e.g. `sending stop`, `kyc show`. */
  readonly action: string;
  /** What the action was about, at most 255 characters; null: all of Giro. No personal data. */
  readonly subject: string | null;
  /** 1–100 characters, as given by the person who ran the command: not authenticated. */
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

interface Row {
  readonly action: string;
  readonly subject: string | null;
  readonly operator: string;
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly recorded_at: Date;
}

const COLUMNS = 'action, subject, operator, reason, details, recorded_at';

const INSERT = `
insert into giro.audit (action, subject, operator, reason, details)
values ($1::text, $2::text, $3::text, $4::text, $5::jsonb)`;

export async function recordAudit({ database }: JournalContext, entry: NewAuditEntry): Promise<void> {
  const { action, subject, operator, reason, details = {} } = entry;
  await database.run({ name: 'record-audit', text: INSERT }, [
    ...[action, subject, operator, reason],
    JSON.stringify(details),
  ]);
}

const SELECT = `
select ${COLUMNS} from giro.audit
where ($1::text is null or subject = $1::text) and ($2::text is null or action = $2::text)
order by record_id desc limit $3::integer`;

/** Newest first. */
export async function auditEntries(
  { database }: JournalContext,
  { subject, action, limit }: AuditFilter,
): Promise<readonly AuditEntry[]> {
  const values = [subject ?? null, action ?? null, limit];
  return (await database.run<Row>({ name: 'audit-entries', text: SELECT, replan: true }, values)).map(
    toEntry,
  );
}

const toEntry = ({ recorded_at, ...rest }: Row): AuditEntry => ({ ...rest, at: recorded_at.toISOString() });
