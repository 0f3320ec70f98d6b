import fc from 'fast-check';
import { MOVEMENT_STATUSES } from '../../src/domain/movement';
import { NOT_FOUND_CONFIRMATIONS } from '../../src/domain/transfer/repeat';
import type { CreateAnswer, LookupAnswer, SeenMovement } from '../../src/domain/transfer/answers';
import { stageOf } from '../../src/domain/transfer/after-receipt';
import { mayBeAtBank } from '../../src/domain/transfer/facts';
import type { TransferFacts } from '../../src/domain/transfer/facts';
import { ATTENTION_REASONS } from '../../src/domain/transfer/flags';
import type { AttentionReason } from '../../src/domain/transfer/flags';
import type { DoubtReason } from '../../src/domain/transfer/records';
import { DOUBT_REASONS } from '../../src/domain/transfer/records';
import type { TransferRecord } from '../../src/journal/statements/transfer-records';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import {
  aDecision,
  aResult,
  claim,
  error,
  factsOn,
  NOT_SENT,
  openNew,
  REFUSED,
  seen,
  UNKNOWN,
} from './support/transfers';

/**
 * Lists and statistics, computed in SQL over many transfers, agree with `factsOf` for each. The lives are random,
 * possible for a run or not; `GIRO_SEED` repeats one set of them.
 */

const LIVES = 150;
const SEED = Number(process.env['GIRO_SEED'] ?? Date.now() % 2 ** 31);

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

type Event =
  | { readonly kind: 'create'; readonly answer: CreateAnswer | null }
  | { readonly kind: 'lookup'; readonly answer: LookupAnswer | null }
  /** After them a create may follow another. */
  | { readonly kind: 'not-founds' }
  | { readonly kind: 'withdrawal' }
  | { readonly kind: 'decision'; readonly line: Parameters<typeof aDecision> }
  | { readonly kind: 'flags'; readonly reasons: readonly AttentionReason[] }
  | { readonly kind: 'doubt'; readonly reason: DoubtReason }
  | { readonly kind: 'end' };

const movement: fc.Arbitrary<SeenMovement> = fc
  .record({
    status: fc.constantFrom('CREATED', 'IN_PROGRESS', 'DELAYED', 'COMPLETED', 'FAILED', 'EN_TRAMITE'),
    movementId: fc.constantFrom('11', '11', '11', '22', null),
    echo: fc.constantFrom<{ echo: SeenMovement['echo']; echoFields: SeenMovement['echoFields'] }>(
      { echo: 'match', echoFields: [] },
      { echo: 'incomplete', echoFields: ['originId'] },
      { echo: 'mismatch', echoFields: ['amount'] },
      { echo: 'mismatch', echoFields: ['originId'] },
    ),
  })
  .map(({ status, echo, ...rest }) => seen(status, { ...rest, ...echo }));

const UNBELIEVED: CreateAnswer = { kind: 'not-sent', error: error('ANOTHER_ORDER') };

const createAnswer: fc.Arbitrary<CreateAnswer> = fc.oneof(
  fc.constantFrom(NOT_SENT, UNBELIEVED, UNKNOWN, REFUSED),
  movement.map((told) => ({ kind: 'answered', movement: told }) as const),
);
const lookupAnswer: fc.Arbitrary<LookupAnswer> = fc.oneof(
  fc.constantFrom<LookupAnswer>(
    { kind: 'not-found' },
    { kind: 'not-found' },
    { kind: 'no-answer', error: error('TIMEOUT') },
  ),
  movement.map((told) => ({ kind: 'movement', movement: told }) as const),
);
const reasons = fc.subarray([...ATTENTION_REASONS], { maxLength: 2 });
const decision = fc.constantFrom<Parameters<typeof aDecision>>(
  ['proposed', 'resend', ['ana']],
  ['accepted', 'resend', ['ana', 'luis']],
  ['proposed', 'accept-failed', ['ana']],
  ['accepted', 'accept-failed', ['ana', 'luis']],
  ['resumed', 'resume', ['ana']],
  ['withdrawn', 'withdraw', ['luis']],
  ['voided', null, []],
);

const event: fc.Arbitrary<Event> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('create'), answer: fc.option(createAnswer) }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('lookup'), answer: fc.option(lookupAnswer) }), weight: 6 },
  { arbitrary: fc.constant({ kind: 'not-founds' } as const), weight: 2 },
  { arbitrary: fc.constant({ kind: 'withdrawal' } as const), weight: 1 },
  {
    arbitrary: fc
      .tuple(decision, reasons)
      .map(
        ([[outcome, action, by], flags]) =>
          ({ kind: 'decision', line: [outcome, action, by, flags] }) as const,
      ),
    weight: 3,
  },
  { arbitrary: fc.record({ kind: fc.constant('flags'), reasons }), weight: 3 },
  {
    arbitrary: fc.record({ kind: fc.constant('doubt'), reason: fc.constantFrom(...DOUBT_REASONS) }),
    weight: 1,
  },
  { arbitrary: fc.constant({ kind: 'end' } as const), weight: 1 },
) as fc.Arbitrary<Event>;

interface Life {
  readonly events: readonly Event[];
  /** Answers of creates are written down after the requests that follow. */
  readonly isLate: boolean;
  /** Operators decide by a run that does not know of the last request. */
  /** How many requests the deciding runs did not know of; negative: so many more they knew. */
  readonly behind: number;
}

/** In half of the lives the bank never answers rightly. */
const life = fc
  .record({
    events: fc.array(event, { maxLength: 14 }),
    ...{ isLate: fc.boolean(), behind: fc.constantFrom(0, 1, -9), isWrong: fc.boolean() },
  })
  .map(({ events, isWrong, ...rest }): Life => ({
    events: isWrong ? events.map(reportedWrongly) : events,
    ...rest,
  }));

function reportedWrongly(one: Event): Event {
  const wrong = { echo: 'mismatch', echoFields: ['amount'] } as const;
  if (one.kind === 'create' && one.answer?.kind === 'answered')
    return { ...one, answer: { ...one.answer, movement: { ...one.answer.movement, ...wrong } } };
  if (one.kind === 'lookup' && one.answer?.kind === 'movement')
    return { ...one, answer: { ...one.answer, movement: { ...one.answer.movement, ...wrong } } };
  return one;
}

/** Rare paths that are always taken, and ordinary ones. They have every word that the test demands. */
const KNOWN: readonly Event[][] = [
  // Nothing has been sent yet.
  [],
  [
    { kind: 'create', answer: UNKNOWN },
    { kind: 'not-founds' },
    { kind: 'create', answer: REFUSED },
    { kind: 'not-founds' },
    { kind: 'create', answer: null },
  ],
  [
    { kind: 'create', answer: { kind: 'answered', movement: seen('COMPLETED', { movementId: '11' }) } },
    { kind: 'end' },
  ],
  // Only operators may have this create sent again.
  [{ kind: 'create', answer: { kind: 'answered', movement: seen('CREATED') } }],
  [
    { kind: 'create', answer: UNKNOWN },
    { kind: 'lookup', answer: { kind: 'movement', movement: seen('EN_TRAMITE') } },
  ],
  [
    { kind: 'create', answer: UNKNOWN },
    { kind: 'lookup', answer: { kind: 'movement', movement: seen('CREATED', { echo: 'mismatch' }) } },
    { kind: 'decision', line: ['resumed', 'resume', ['ana'], ['ECHO_MISMATCH']] },
  ],
  [
    { kind: 'create', answer: { kind: 'answered', movement: seen('CREATED', { movementId: '11' }) } },
    { kind: 'decision', line: ['resumed', 'resume', ['ana'], ['ECHO_MISMATCH']] },
    { kind: 'lookup', answer: { kind: 'movement', movement: seen('DELAYED', { movementId: '22' }) } },
    { kind: 'lookup', answer: { kind: 'movement', movement: seen('FAILED', { movementId: '11' }) } },
  ],
  [
    { kind: 'create', answer: UNKNOWN },
    { kind: 'decision', line: ['proposed', 'accept-not-taken', ['ana'], ['OUTCOME_UNKNOWN']] },
    { kind: 'decision', line: ['accepted', 'accept-not-taken', ['ana', 'luis'], ['OUTCOME_UNKNOWN']] },
  ],
];

/** A run that a restored journal has not caught up with was resumed before anything was sent. */
const AHEAD: readonly Event[] = [
  { kind: 'create', answer: NOT_SENT },
  { kind: 'decision', line: ['resumed', 'resume', ['ana'], ['JOURNAL_CONFLICT']] },
  { kind: 'create', answer: UNKNOWN },
];

/** What the journal refuses does not happen; an answer may be written late, after the requests that follow. */
async function live({ events, isLate, behind }: Life): Promise<number> {
  const { journal } = db;
  const originId = await openNew(journal);
  let last = 0;
  const late: (() => Promise<void>)[] = [];
  for (const one of events) {
    switch (one.kind) {
      case 'create':
      case 'lookup':
      case 'withdrawal': {
        const number = last + 1;
        if ((await claim(journal, originId, number, one.kind)).kind !== 'claimed') break;
        last = number;
        const answer = 'answer' in one ? one.answer : null;
        if (answer === null) break;
        const record = () => journal.recordAnswer({ originId, number, answer, digest: `digest-${number}` });
        if (isLate && one.kind === 'create') late.push(record);
        else await record();
        break;
      }
      case 'not-founds':
        for (let made = 0; made < NOT_FOUND_CONFIRMATIONS; made += 1) {
          const number = last + 1;
          if ((await claim(journal, originId, number, 'lookup')).kind !== 'claimed') break;
          last = number;
          const answer = { kind: 'not-found' } as const;
          if (made === 0) await journal.recordAnswer({ originId, number, answer, digest: 'not-found' });
        }
        break;
      case 'decision':
        await journal.recordDecision(originId, {
          ...aDecision(...one.line),
          afterNumber: Math.max(0, last - behind),
        });
        // The facts have a resolution of one millisecond.
        await db.sql('select pg_sleep(0.002)');
        break;
      case 'flags':
        await journal.recordFlags(originId, one.reasons);
        break;
      case 'doubt':
        await db.sql('insert into giro.doubt (origin_id, reason) values ($1, $2)', [originId, one.reason]);
        break;
      case 'end':
        for (const status of ['COMPLETED', 'REFUSED', 'WITHDRAWN'] as const)
          await journal.recordResult(aResult(originId, status)).catch(() => null);
    }
    if (late.length > 1) await late.shift()?.();
  }
  for (const record of late) await record();
  return originId;
}

/** As `giroStatus` has it, of a record. */
const wordOf = ({ result, bankStatus, phase }: TransferRecord): string =>
  result?.status ?? bankStatus ?? phase;

const ofReference = (status: string): boolean => MOVEMENT_STATUSES.some((word) => word === status);

const ONLY_OPERATORS = 'only operators have it sent again';
/** The result of `giro.create_refusal` for repeats. */
const BY_LOOKUPS = [
  ONLY_OPERATORS,
  'the bank refused the only one',
  'fewer than 12 look-ups have found nothing since the last create',
];

/** In statistics a transfer that is held counts where it stands, unless it waits for its first send. */
function stateOf({ bankStatus, phase }: TransferRecord, facts: TransferFacts): string {
  if (bankStatus !== null) return ofReference(bankStatus) ? bankStatus : 'other';
  const stage = stageOf(facts);
  return phase === 'held' && stage !== 'sending' ? stage : phase;
}

const countsOf = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(words)].map((word) => [word, words.filter((one) => one === word).length]));

test(`SQL over many transfers says what the fold says of each (GIRO_SEED=${SEED})`, async () => {
  const { journal } = db;
  const lives = [
    ...KNOWN.map((events) => ({ events, isLate: false, behind: 0 })),
    { events: AHEAD, isLate: false, behind: -9 },
    ...fc.sample(life, { seed: SEED, numRuns: LIVES - KNOWN.length - 1 }),
  ];
  const stories = new Map<number, readonly Event[]>();
  for (const one of lives) stories.set(await live(one), one.events);

  const all = await journal.transfers({ status: null, needsAttention: false, limit: LIVES });
  expect(all).toHaveLength(LIVES);
  const words = [...new Set(all.map(wordOf))];
  // Otherwise the lives are too simple to prove anything.
  for (const word of ['sending', 'looking-up', 'polling', 'held', 'DELAYED', 'EN_TRAMITE', 'COMPLETED'])
    expect(words).toContain(word);

  const wrong: unknown[] = [];
  for (const word of [...words, 'received', 'annulling', 'ended']) {
    const listed = await journal.transfers({ status: word, needsAttention: false, limit: LIVES });
    const found = new Set(listed.map(({ originId }) => originId));
    for (const record of all) {
      const { originId } = record;
      if (found.has(originId) !== (wordOf(record) === word))
        wrong.push({ word, isFound: found.has(originId), is: wordOf(record), story: stories.get(originId) });
    }
  }
  const shortest = wrong.toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length)[0];
  expect(JSON.stringify(shortest, null, 1)).toBeUndefined();

  const open = all.filter(({ result }) => result === null);
  const states: string[] = [];
  for (const record of open) states.push(stateOf(record, await factsOn(journal, record.originId)));
  expect(states).toContain('polling');
  expect((await journal.statistics()).open).toEqual(countsOf(states));
  expect(await journal.countUnsent()).toBe(open.filter(({ sends }) => sends === 0).length);
  expect(await journal.unsentTransfers({ after: null, limit: LIVES })).toEqual(
    open
      .filter(({ sends }) => sends === 0)
      .map(({ originId }) => originId)
      .toSorted((a, b) => a - b),
  );
  const attempts = open.flatMap((record) => record.attempts);
  expect(await journal.createsInFlight()).toBe(attempts.filter(({ outcome }) => outcome === null).length);

  // A run that starts now goes on with what is shown.
  const judged = new Set<boolean>();
  for (const { originId, sends, bankStatus, movementId, attentionReasons } of open) {
    const facts = await factsOn(journal, originId);
    expect(mayBeAtBank(facts)).toBe(sends > 0);
    expect(facts.bank).toMatchObject({ status: bankStatus, movementId });
    if (facts.bank.echo.isMismatched) expect(attentionReasons).toContain('ECHO_MISMATCH');
    if (!mayBeAtBank(facts)) continue;
    // Whether look-ups alone may have it sent again.
    const { rows } = await db.sql(
      'select giro.create_refusal($1) as word, giro.resend_after($1) is null as is_by_lookups',
      [originId],
    );
    const word = rows[0]?.['word'] as string | null;
    if (rows[0]?.['is_by_lookups'] === true && (word === null || BY_LOOKUPS.includes(word))) {
      judged.add(word === ONLY_OPERATORS);
      expect([originId, word === ONLY_OPERATORS]).toEqual([originId, !facts.sends.mayRepeat]);
    }
  }
  expect(judged.size).toBe(2);
});
