import { seeMovement } from '../../bank/movements/see-movement';
import type { BankLook, BookedTransfer } from '../../reconciliation/books';
import { compare } from '../../reconciliation/compare';
import { NO_TOTALS, addToTotals } from '../../reconciliation/control-totals';
import { lookedInto } from '../../reconciliation/looked-into';
import { notAskedOf } from '../../reconciliation/not-asked';
import { phaseAfter } from '../../reconciliation/run-cursor';
import { inParallel } from '../in-parallel';
import { lookOf } from './look-of';
import type { ReconciliationContext } from './context';
import type { StepFindings, StepWork } from './step-work';

const AT_ONCE = 10;
/** References that never became a transfer: a start that broke off leaves one. */
const BOUND_MAX = 1_000;

/**
 * originIds that ought to have a transfer in the journal and have none: of runs that the engine lists, of references,
 * and of breaks that said so before. The bank is asked about each.
 */
export async function engineStep(context: ReconciliationContext, work: StepWork): Promise<StepFindings> {
  const { journal, engine, settings } = context;
  const { asOf, from, to, isDefault, statementId } = work.window;
  const { cursor, asker } = work;
  const { originIds: started, token } = await engine.started({ from, to, token: cursor.token });
  const isFirst = cursor.token === null;
  const outside = isFirst && isDefault ? await journal.unresolvedOutside() : [];
  const missing = outside.flatMap(({ break: one }) =>
    one.class === 'MISSING_IN_JOURNAL' && one.originId !== null ? [one.originId] : [],
  );
  const bound = isFirst ? await journal.boundWithoutTransfer({ from, to, after: 0, limit: BOUND_MAX }) : [];
  const unknown = await journal.unknownOriginIds([...new Set([...started, ...missing, ...bound])]);

  const booked = new Map<number, BookedTransfer>();
  await inParallel(unknown, AT_ONCE, async (originId) => {
    const [run, bank] = await Promise.all([engine.look(originId), ask(context, asker, originId)]);
    booked.set(originId, {
      ...{ originId, entry: null, bank, run, statement: null },
      sameMovementId: [],
      sameNetworkId: [],
    });
  });

  const { attentionAfterActiveMs, attentionAfterDelayedMs } = settings;
  const all = [...booked.values()].map((one) => ({
    one,
    found: compare(one, {
      ...{ asOf, attentionAfterActiveMs, attentionAfterDelayedMs },
      readAt: new Date().toISOString(),
    }),
  }));
  const found = all.flatMap((it) => it.found);
  // A reference that was never used is no transfer: only what some book knows is counted.
  const counted = all.filter((it) => it.found.length > 0);
  return {
    totals: counted.reduce((totals, { one }) => addToTotals(totals, one), NO_TOTALS),
    found,
    known: await journal.knownBreaks({ keys: found.map(({ key }) => key), originIds: unknown }),
    booksFor: (known) => {
      const one = known.originId === null ? undefined : booked.get(known.originId);
      return one === undefined || known.class !== 'MISSING_IN_JOURNAL' ? null : lookedInto(one, known);
    },
    looks: [],
    notAsked: all.flatMap(({ one }) => notAskedOf(one)),
    next: token === null ? phaseAfter('engine', statementId !== null) : { phase: 'engine', after: 0, token },
  };
}

/** No cadence is known of it, and no number can be claimed for what the journal does not know. */
async function ask(
  { bank }: ReconciliationContext,
  asker: StepWork['asker'],
  originId: number,
): Promise<BankLook> {
  const asked = await asker.ask(async (told) => {
    const reply = await bank.getMovement({ originId: String(originId) }, { workflowTime: null });
    told(reply);
    const at = new Date().toISOString();
    return reply.kind === 'movement'
      ? lookOf({ kind: 'movement', movement: seeMovement(null, reply) }, 'asked', at)
      : lookOf(reply, 'asked', at);
  });
  return asked === 'bank-away' ? { kind: 'not-asked', reason: 'BANK_UNREACHABLE' } : asked;
}
