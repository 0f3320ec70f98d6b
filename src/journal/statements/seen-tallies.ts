import type { BreakTallies } from '../../reconciliation/break-order';
import { mergeTalliesBy } from '../../reconciliation/tally';
import type { TalliesBy } from '../../reconciliation/tally';
import type { JournalContext } from '../context';

/** As `tallyBreaks`, where the breaks are: they may be many. */
const text = `
select l.class, l.severity, count(*)::integer as count, coalesce(sum(l.pesos), 0)::numeric(30, 2)::text as amount
from (
  select distinct on (s.key) s.break ->> 'class' as class, s.break ->> 'severity' as severity,
    s.break ->> 'state' as state,
    case when s.break #>> '{amount,currency}' = '032' then (s.break #>> '{amount,value}')::numeric end as pesos
  from giro.break_seen s where s.as_of = $1 order by s.key, s.step desc
) l
where l.state <> 'resolved' group by l.class, l.severity`;

interface Row {
  readonly class: string;
  readonly severity: string;
  readonly count: number;
  readonly amount: string;
}

export async function seenTallies({ database }: JournalContext, asOf: string): Promise<BreakTallies> {
  const rows = await database.run<Row>({ name: 'seen-tallies', text }, [asOf]);
  const by = (name: 'class' | 'severity'): TalliesBy =>
    rows.reduce<TalliesBy>(
      (tallies, { count, amount, ...row }) => mergeTalliesBy(tallies, { [row[name]]: { count, amount } }),
      {},
    );
  return { byClass: by('class'), bySeverity: by('severity') };
}
