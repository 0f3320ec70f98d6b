import type { JournalContext } from '../context';
import { toIsoOrNull, toOriginIds } from '../rows';
import type { TransferRow } from '../rows';

export interface SendingChange {
  readonly stopped: boolean;
  /** 1–100 characters. */
  readonly operator: string;
  /** 1–200 characters, without personal data: every waiting transfer shows it. */
  readonly reason: string;
}

/** The last change; nulls: sending was never stopped. */
export interface SendingState {
  readonly stopped: boolean;
  /** ISO UTC. */
  readonly since: string | null;
  readonly operator: string | null;
  readonly reason: string | null;
}

const stateText = `
select s.stopped, s.operator, s.reason, s.recorded_at
from giro.sending s order by s.record_id desc limit 1`;

interface Row {
  readonly stopped: boolean;
  readonly operator: string;
  readonly reason: string;
  readonly recorded_at: Date;
}

export async function sendingState({ database }: JournalContext): Promise<SendingState> {
  const [row] = await database.run<Row>({ name: 'sending-state', text: stateText }, []);
  return {
    stopped: row?.stopped ?? false,
    since: toIsoOrNull(row?.recorded_at ?? null),
    operator: row?.operator ?? null,
    reason: row?.reason ?? null,
  };
}

const changeText = `
with before as (
  select coalesce((select s.stopped from giro.sending s order by s.record_id desc limit 1), false) as stopped
), recorded as (
  insert into giro.sending (stopped, operator, reason)
  select $1::boolean, $2::text, $3::text from before where not (before.stopped and $1::boolean)
)
insert into giro.audit (action, subject, operator, reason, details)
select $4::text, null, $2::text, $3::text, jsonb_build_object('changed', before.stopped <> $1::boolean) from before`;

/**
 * Sets the brake, with a row in the audit trail. Once this has returned, every create was either claimed before or is
 * held back. A second stop changes nothing, and the earlier reason stays. A second "go" is recorded: it may answer a stop
 * that the journal has lost and a worker remembers.
 */
export async function setSending(
  context: JournalContext,
  { stopped, operator, reason }: SendingChange,
): Promise<SendingState> {
  const action = stopped ? 'sending stop' : 'sending go';
  await context.database.run({ name: 'set-sending', text: changeText }, [stopped, operator, reason, action]);
  return sendingState(context);
}

const inFlightText = `
select coalesce(sum(o.unanswered_creates), 0)::integer as count from giro.open_transfer o`;

/** Creates of open transfers that were claimed and have no answer yet: they may still reach the bank. */
export async function createsInFlight({ database }: JournalContext): Promise<number> {
  const [row] = await database.run<{ count: number }>(
    { name: 'creates-in-flight', text: inFlightText, replan: true },
    [],
  );
  return row?.count ?? 0;
}

/** SQL: the open transfers of which no create may have reached the bank, as `o`. */
const UNSENT = `giro.open_transfer o where not o.is_sent`;

const countUnsentText = `select count(*)::integer as count from ${UNSENT}`;

/** Number of open transfers of which no create may have reached the bank. */
export async function countUnsent({ database }: JournalContext): Promise<number> {
  const [row] = await database.run<{ count: number }>(
    { name: 'count-unsent', text: countUnsentText, replan: true },
    [],
  );
  return row?.count ?? 0;
}

const unsentText = `
select o.origin_id from ${UNSENT}
and ($1::bigint is null or o.origin_id > $1::bigint)
order by o.origin_id limit $2::integer`;

/** `after`: the last originId of the page before; null: the first page. */
export interface UnsentPage {
  readonly after: number | null;
  readonly limit: number;
}

/** Open transfers of which no create may have reached the bank, by originId, one page. */
export async function unsentTransfers(
  { database }: JournalContext,
  { after, limit }: UnsentPage,
): Promise<readonly number[]> {
  const rows = await database.run<Pick<TransferRow, 'origin_id'>>(
    { name: 'unsent-transfers', text: unsentText, replan: true },
    [after, limit],
  );
  return toOriginIds(rows);
}
