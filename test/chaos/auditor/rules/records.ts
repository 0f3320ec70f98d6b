import type { Books, Rule, Violation } from '../books';

/** Every history replays, and none is too long. */
export const histories: Rule = (books) =>
  books.histories.flatMap(({ originId, runId, eventCount, replayError }) => [
    ...(replayError === null
      ? []
      : [{ rule: 'replay', originId, sentence: `run ${runId} does not replay: ${replayError}` }]),
    ...(eventCount <= books.terms.eventsPerRunMax
      ? []
      : [{ rule: 'history-too-long', originId, sentence: `run ${runId} has ${eventCount} events` }]),
  ]);

/** The feed has each final, annulment, decision and change of flags once, in the order of their records. */
export const events: Rule = ({ journal }) => {
  const due = [
    ...journal.result.map((it) => ({ ...named(it), kind: 'final' })),
    ...journal.annulment.map((it) => ({ ...named(it), kind: 'annulment' })),
    ...journal.decision.map((it) => ({ ...named(it), kind: 'decision' })),
    ...journal.flags.map((it) => ({ ...named(it), kind: 'flags' })),
  ].sort((a, b) => (a.recordId < b.recordId ? -1 : 1));
  const told = journal.events.filter(({ kind }) => KINDS.has(kind));
  const violations: Violation[] = [];
  const cursors = new Set(journal.events.map(({ cursor }) => cursor));
  if (cursors.size < journal.events.length)
    violations.push({ rule: 'events', originId: null, sentence: 'the feed has one cursor twice' });
  const differs = due.findIndex((it, i) => told[i]?.kind !== it.kind || told[i].originId !== it.originId);
  const at = differs === -1 && told.length > due.length ? due.length : differs;
  if (at >= 0) {
    const [expected, seen] = [due[at], told[at]];
    violations.push({
      rule: 'events',
      originId: expected?.originId ?? seen?.originId ?? null,
      sentence: `event ${at + 1} of the feed is ${textOf(seen)}, the journal has ${textOf(expected)}`,
    });
  }
  return violations;
};

const KINDS: ReadonlySet<string> = new Set(['final', 'annulment', 'decision', 'flags']);

type Named = Pick<Books['journal']['result'][number], 'origin_id' | 'record_id'>;
const named = ({ origin_id, record_id }: Named) => ({ originId: origin_id, recordId: BigInt(record_id) });

const textOf = (it: { readonly kind: string; readonly originId: string } | undefined): string =>
  it === undefined ? 'none' : `${it.kind} of ${it.originId}`;
