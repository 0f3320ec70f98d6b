import type { JournalContext } from '../context';
import { CursorRefused, fromCursor, toCursor } from '../event-feed';
import type { EventPage, GiroEvent } from '../event-feed';
import { toIso, toOriginId } from '../rows';
import { FINGERPRINT, sourceRows, toEventBody } from './event-sources';
import type { EventRow } from './event-sources';

/**
 * Two statements, because the second must begin after the first has read the horizon (migration 0006-event-feed.sql).
 */
const horizonText = 'select giro.feed_horizon()::text as horizon';

/** Up to this record number (decimal digits) no event commits later. Holds for statements that begin afterwards. */
export async function feedHorizon({ database }: Pick<JournalContext, 'database'>): Promise<string> {
  const [found] = await database.run<{ horizon: string }>({ name: 'feed-horizon', text: horizonText }, []);
  if (found === undefined) throw new Error('a function answered no row');
  return found.horizon;
}

/** Begins with the cursor's own event, which must exist. */
const pageText = `
select kind, record_id::text, origin_id, recorded_at, body, ${FINGERPRINT} as fingerprint
from (${sourceRows('$1::bigint', '$2::bigint', '$3::integer')}) found
order by found.record_id limit $3::integer`;

type Row = EventRow & {
  readonly record_id: string;
  readonly origin_id: string;
  readonly recorded_at: Date;
  readonly fingerprint: string;
};

/**
 * The next events after `after` (null: from the first), at most `limit`; an empty list: nothing newer yet. Events
 * appear only when everything before them is committed, so none is ever inserted before a cursor.
 *
 * @throws CursorRefused
 */
export async function events(
  context: JournalContext,
  { after, limit }: EventPage,
): Promise<readonly GiroEvent[]> {
  const position = after === null ? null : fromCursor(after);
  const horizon = await feedHorizon(context);
  // A lock that was taken late can move the horizon back; events that were read stay valid.
  const to = position !== null && BigInt(position.recordId) > BigInt(horizon) ? position.recordId : horizon;
  const values = [position?.recordId ?? '1', to, position === null ? limit : limit + 1];
  const rows = await context.database.run<Row>({ name: 'events', text: pageText }, values);
  if (position === null) return rows.map(toEvent);

  const [own, ...newer] = rows;
  if (own?.record_id !== position.recordId || own.fingerprint !== position.fingerprint) {
    throw new CursorRefused(
      'this journal has no event with this cursor: it is of another journal, or this journal was restored from a ' +
        'backup that is older than the event',
    );
  }
  return newer.map(toEvent);
}

function toEvent(row: Row): GiroEvent {
  const { kind, ...rest } = toEventBody(row);
  return {
    cursor: toCursor({ recordId: row.record_id, fingerprint: row.fingerprint }),
    kind,
    at: toIso(row.recorded_at),
    originId: toOriginId(row.origin_id),
    ...rest,
  } as GiroEvent;
}
