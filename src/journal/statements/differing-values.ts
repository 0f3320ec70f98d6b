import { SealError } from '../../codec/seal';
import { PARTY_FIELDS } from '../../domain/echo';
import type { DifferingValue, EchoField, PartyField } from '../../domain/echo';
import type { DifferenceCipher } from '../ciphers';
import type { JournalContext } from '../context';
import { toIso } from '../rows';

export interface KeptDifference {
  /** Number of the request with the answer. */
  readonly number: number;
  /** When the answer was recorded, ISO UTC. */
  readonly at: string;
  /** Which of `PARTY_FIELDS` differ. */
  readonly fields: readonly PartyField[];
  readonly content:
    | { readonly kind: 'opened'; readonly values: readonly DifferingValue[] }
    /** The worker that recorded the answer had no key ring. */
    | { readonly kind: 'not-kept' }
    /** This process lacks the key, or the row was altered. */
    | { readonly kind: 'not-opened'; readonly error: SealError };
}

const text = `
select a.number, a.recorded_at, giro.answer_json(a) #> '{movement,echoFields}' as fields, d.sealed
from giro.answer a left join giro.differing_values d using (origin_id, number)
where a.origin_id = $1::bigint and a.echo = 'mismatch' and not exists (
  select from giro.answer m where m.origin_id = a.origin_id and m.number > a.number and m.echo = 'match'
)
order by a.number desc limit 1`;

interface Row {
  readonly number: number;
  readonly recorded_at: Date;
  readonly fields: readonly EchoField[];
  readonly sealed: string | null;
}

/** The values of the latest mismatch; null: no account or tax id differs in that answer, or a later answer matches. */
export async function differingValues(
  { database, differences }: JournalContext,
  originId: number,
): Promise<KeptDifference | null> {
  const [row] = await database.run<Row>({ name: 'differing-values', text }, [originId]);
  const fields = PARTY_FIELDS.filter((field) => row?.fields.includes(field));
  if (row === undefined || fields.length === 0) return null;
  const { number, recorded_at: at, sealed } = row;
  return { number, at: toIso(at), fields, content: contentOf(differences, sealed, { originId, number }) };
}

function contentOf(
  cipher: DifferenceCipher,
  sealed: string | null,
  answer: { readonly originId: number; readonly number: number },
): KeptDifference['content'] {
  if (sealed === null) return { kind: 'not-kept' };
  try {
    return { kind: 'opened', values: cipher.open(sealed, answer) };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { kind: 'not-opened', error };
  }
}
