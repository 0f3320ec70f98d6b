import type { JournalContext } from '../context';
import type { BindingsMayBeLost } from '../errors';

/** The mark that `setup --restored` sets, because a restored snapshot has the timeline of before. */
const RESTORED = 'restored';
/** A standby may have a binding, and lack an earlier binding whose transaction ended later. */
const MARGIN = '10 min';

/**
 * SQL: the time since which bindings may be lost. Earlier bindings are known by the last mark, or because a later
 * binding survived. A binding that was noted as lost and bound again proves nothing about others.
 */
export const LOST_SINCE = `coalesce(greatest(
  (select max(k.marked_at) from giro.journal_mark k where k.journal_id <> '${RESTORED}'),
  (select r.bound_at from giro.reference r
    where not exists (select from giro.lost_reference l where l.origin_id = r.origin_id)
    order by r.bound_at desc limit 1)
) - interval '${MARGIN}', '1970-01-01')`;

/** A transfer that was started by reference, as Temporal knows it. */
export interface StartedByReference {
  /** SHA-256 of the reference, hex. */
  readonly referenceSha256: string;
  readonly originId: number;
}

const noteText = `
insert into giro.lost_reference (reference_sha256, origin_id)
select n.reference_sha256, n.origin_id from unnest($1::text[], $2::bigint[]) n (reference_sha256, origin_id)
where not exists (
  select from giro.reference r
  where r.origin_id = n.origin_id and encode(sha256(convert_to(r.reference, 'UTF8')), 'hex') = n.reference_sha256
)
on conflict do nothing`;

/** Notes bindings that may be lost; those that the journal has are skipped. */
export async function noteLostReferences(
  { database }: JournalContext,
  started: readonly StartedByReference[],
): Promise<void> {
  await database.run({ name: 'note-lost-references', text: noteText }, [
    started.map(({ referenceSha256 }) => referenceSha256),
    started.map(({ originId }) => originId),
  ]);
}

const markText = `
insert into giro.journal_mark (journal_id) select $1::text
where giro.journal_id() = $1::text and coalesce((select max(k.mark_id) from giro.journal_mark k), 0) = $2::bigint`;

/**
 * Marks this PostgreSQL: every binding that was lost before `found` was thrown is noted. Does nothing if the journal has
 * moved or was restored since.
 */
export async function markBindingsKnown(
  { database }: JournalContext,
  found: Pick<BindingsMayBeLost, 'journalId' | 'markId'>,
): Promise<void> {
  await database.run({ name: 'mark-bindings-known', text: markText }, [found.journalId, found.markId]);
}

const doubtText = `insert into giro.journal_mark (journal_id) values ('${RESTORED}')`;

/** Bindings may be lost: the journal was restored from a backup. */
export async function doubtBindings({ database }: JournalContext): Promise<void> {
  await database.run({ name: 'doubt-bindings', text: doubtText }, []);
}
