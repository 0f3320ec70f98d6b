import type { VerificationReason } from '../../domain/verification/flags';
import type { JournalContext } from '../context';
import { againWhenLost } from '../lost-race';

/** As `record-flags.ts`: sets are compared. A verification that a restored journal lacks is written down again. */
const FLAGS = `
with latest as (
  select f.seq, f.reasons from giro.verification_flags f where f.request_id = $1::text order by f.seq desc limit 1
), changed as (
  select coalesce((select seq from latest), 0) + 1 as seq
  from (select coalesce((select reasons from latest), '{}') as reasons) held
  where not (held.reasons @> $2::text[] and held.reasons <@ $2::text[])
), opened as (
  insert into giro.verification (request_id) select $1::text from changed on conflict (request_id) do nothing
  returning request_id
), tracked as (
  insert into giro.verification_tracking (request_id, seq, is_tracked) select request_id, 1, true from opened
)
insert into giro.verification_flags (request_id, seq, reasons)
select $1::text, seq, $2::text[] from changed`;

export async function recordVerificationFlags(
  { database }: JournalContext,
  requestId: string,
  reasons: readonly VerificationReason[],
): Promise<void> {
  await againWhenLost('flags of a verification', () =>
    database.run({ name: 'verification-flags', text: FLAGS }, [requestId, reasons]),
  );
}

const STOP = `
with latest as (
  select t.seq, t.is_tracked from giro.verification_tracking t
  where t.request_id = $1::text order by t.seq desc limit 1
)
insert into giro.verification_tracking (request_id, seq, is_tracked)
select $1::text, seq + 1, false from latest where is_tracked`;

export async function stopVerification({ database }: JournalContext, requestId: string): Promise<void> {
  await againWhenLost('stopping a verification', () =>
    database.run({ name: 'stop-verification', text: STOP }, [requestId]),
  );
}
