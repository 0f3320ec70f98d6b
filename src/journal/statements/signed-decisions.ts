import { evidenceNumberOf } from '../../domain/transfer/evidence';
import { factsOf } from '../../domain/transfer/facts';
import type { TransferRecords } from '../../domain/transfer/records';
import type { JournalContext } from '../context';
import { TRANSFER_LINES } from './transfer-lines';

/** What a signed decision is checked against. */
export interface DecisionBasis {
  readonly orderSha256: string;
  /** Computed from the journal's rows. */
  readonly evidenceNumber: number;
  /** Signed lines of the transfer's recorded decisions, in order; a line names its transfer. */
  readonly usedLines: readonly string[];
  readonly decisions: TransferRecords['decisions'];
}

const basisText = `
select t.order_sha256, ${TRANSFER_LINES} as lines, array(
  select d.line from giro.decision d where d.origin_id = t.origin_id and d.line is not null order by d.seq
) as used_lines
from giro.transfer t where t.origin_id = $1::bigint`;

interface BasisRow {
  readonly order_sha256: string;
  readonly lines: TransferRecords;
  readonly used_lines: readonly string[];
}

/** Null: the journal does not have the transfer. */
export async function decisionBasis(
  { database }: JournalContext,
  originId: number,
): Promise<DecisionBasis | null> {
  const [row] = await database.run<BasisRow>({ name: 'decision-basis', text: basisText }, [originId]);
  if (row === undefined) return null;
  return {
    orderSha256: row.order_sha256,
    evidenceNumber: evidenceNumberOf(factsOf(row.lines)),
    usedLines: row.used_lines,
    decisions: row.lines.decisions,
  };
}

/** A recorded decision of a transfer with its signature; line, signature and key are null together. */
export interface KeptDecision extends Pick<
  KeptRow,
  'outcome' | 'action' | 'operator' | 'operators' | 'reason' | 'line' | 'signature'
> {
  readonly keyFingerprint: string | null;
  /** ms since 1970. */
  readonly recordedAtMs: number;
}

const keptText = `
select t.order_sha256, d.outcome, d.action, d.operator, d.operators, d.reason, d.line, d.signature, d.key_fingerprint,
  d.recorded_at, coalesce(giro.resend_after(t.origin_id) >= (
    select max(p.number) from giro.perhaps_sent p where p.origin_id = t.origin_id
  ), false) as is_resend_due
from giro.transfer t join giro.decision d using (origin_id)
where t.origin_id = $1::bigint and d.operator is not null
order by d.seq`;

interface KeptRow {
  readonly order_sha256: string;
  readonly outcome: string;
  readonly action: string;
  readonly operator: string;
  readonly operators: readonly string[];
  readonly reason: string;
  readonly line: string | null;
  readonly signature: string | null;
  readonly key_fingerprint: string | null;
  readonly recorded_at: Date;
  readonly is_resend_due: boolean;
}

export interface KeptDecisions {
  readonly orderSha256: string;
  readonly decisions: readonly KeptDecision[];
  /** The next create may leave only because of an accepted `resend`. */
  readonly isResendDue: boolean;
}

/** The decisions of operators about a transfer, in order; null: none. */
export async function keptDecisions(
  { database }: JournalContext,
  originId: number,
): Promise<KeptDecisions | null> {
  const rows = await database.run<KeptRow>({ name: 'kept-decisions', text: keptText }, [originId]);
  const [first] = rows;
  if (first === undefined) return null;
  return {
    orderSha256: first.order_sha256,
    isResendDue: first.is_resend_due,
    decisions: rows.map(({ order_sha256: _, is_resend_due: __, key_fingerprint, recorded_at, ...row }) => ({
      ...row,
      keyFingerprint: key_fingerprint,
      recordedAtMs: recorded_at.getTime(),
    })),
  };
}
