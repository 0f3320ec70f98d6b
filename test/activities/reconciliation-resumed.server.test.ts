import { MockActivityEnvironment } from '@temporalio/testing';
import { reconciliationActivities } from '../../src/activities/reconciliation';
import type { ReconciliationResult } from '../../src/activities/reconciliation';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import type { BankClient, LookupReply } from '../../src/bank/movements/port';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import type { InquiryClaim } from '../../src/journal/statements/inquiries';
import { quietRuntime } from '../support/quiet-runtime';
import type { NotAsked } from '../../src/reconciliation/report';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import {
  REFUSED,
  aResult,
  anOrder,
  answered,
  ask,
  movement,
  newOriginId,
  openNew,
} from '../journal/support/transfers';
import { confirmedDebits } from '../journal/support/confirmed-debits';

/** Steps on a real journal, with a test bank: a worker that dies in the middle, a bank that sends Retry-After. */

const TRANSFERS = 30;
const KILLED_AFTER = 12;

let db: TestJournal;
beforeAll(async () => {
  quietRuntime();
  db = await openTestJournal();
});
afterAll(() => db.close());

function workerOf(bank: Pick<BankClient, 'getMovement'>) {
  const activities = reconciliationActivities({
    ...{ bank, journal: db.journal, keepMs: 90 * 86_400_000 },
    engine: {
      observe: () => Promise.resolve({ kind: 'missing' }),
      started: () => Promise.resolve({ originIds: [], token: null }),
      hint: () => Promise.resolve(),
      restart: () => Promise.resolve(),
    },
    settings: { ...DEFAULT_TRANSFER_SETTINGS, pollActiveMs: 1, createTimeoutMs: 100, lookupTimeoutMs: 100 },
    limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 1 }),
  });
  const runIn = new MockActivityEnvironment();
  const open = (asOf: string) =>
    runIn.run(activities.openReconciliation, { input: { asOf }, defaultAsOf: asOf });
  const step = (asOf: string, number: number) => runIn.run(activities.reconcileStep, { asOf, step: number });
  const end = (asOf: string): Promise<ReconciliationResult> => runIn.run(activities.endReconciliation, asOf);
  const run = async (asOf: string): Promise<ReconciliationResult> => {
    await open(asOf);
    for (let number = 1; (await step(asOf, number)) === true; number += 1);
    return end(asOf);
  };
  return { open, step, end, run };
}

function movementOf(originId: number): LookupReply {
  const { from, to } = anOrder(originId);
  const account = ({ address, owner }: typeof from) => ({ address, personIds: [owner.personId] });
  return {
    kind: 'movement',
    movement: {
      ...{
        id: String(originId),
        status: 'COMPLETED',
        hasDetails: true,
        type: null,
        originId: String(originId),
      },
      ...{ amount: '1500.25', currency: '032', network: 'COELSA', networkId: `N${String(originId)}` },
      ...{ postingAt: null, completedAt: null, destination: account(to), source: account(from) },
    },
    evidenceSha256: 'cd'.repeat(32),
  };
}

test('a step whose worker was killed is done again: answers that were recorded stand', async () => {
  const { journal } = db;
  for (let i = 0; i < TRANSFERS; i += 1) {
    const originId = await openNew(journal);
    const ids = { movementId: String(originId), networkId: `N${String(originId)}` };
    await ask(journal, originId, 1, answered('COMPLETED', ids));
    await journal.recordResult(aResult(originId, 'COMPLETED', ids));
  }
  const asked = new Map<string, number>();
  let isKilled = false;
  const bank: Pick<BankClient, 'getMovement'> = {
    getMovement: (key) => {
      if (isKilled || asked.size === KILLED_AFTER) {
        isKilled = true;
        return Promise.reject(new Error('the process is gone'));
      }
      const originId = 'originId' in key ? key.originId : '';
      asked.set(originId, (asked.get(originId) ?? 0) + 1);
      return Promise.resolve(movementOf(Number(originId)));
    },
  };
  const worker = () => workerOf(bank);
  const asOf = nextAsOf();
  const first = worker();
  expect(await first.open(asOf)).toEqual({ asOf, result: null });
  await expect(first.step(asOf, 1)).rejects.toThrow('the process is gone');
  expect(asked.size).toBe(KILLED_AFTER);
  expect(await journal.runStep(asOf, 1)).toBeNull();

  isKilled = false;
  asked.set('the second worker', 1);
  const second = worker();
  const more: boolean[] = [];
  for (let step = 1; step <= 6; step += 1) more.push((await second.step(asOf, step)) === true);
  expect(more).toEqual([true, true, true, true, true, false]);
  asked.delete('the second worker');
  expect(asked.size).toBe(TRANSFERS);
  expect([...new Set(asked.values())]).toEqual([1]);

  // A step that is done, and an end, keep their results.
  expect(await second.step(asOf, 1)).toBe(true);
  const result = await second.end(asOf);
  expect(result).toMatchObject({ outcome: 'CLEAN', totals: { transfers: { count: TRANSFERS } } });
  expect(await first.end(asOf)).toEqual(result);
  expect(await first.open(asOf)).toEqual({ asOf, result });
  expect([...new Set(asked.values())]).toEqual([1]);
});

async function completed(ids: { movementId: string; networkId: string }): Promise<number> {
  const { journal } = db;
  const originId = await openNew(journal);
  await ask(journal, originId, 1, answered('COMPLETED', ids));
  await journal.recordResult(aResult(originId, 'COMPLETED', ids));
  return originId;
}

let latestMs = 0;

/** After now, and after every run before: two runs as of one second would be the same run. */
function nextAsOf(): string {
  latestMs = Math.max(Date.now() + 2_000, latestMs + 1_000);
  return `${new Date(latestMs).toISOString().slice(0, 19)}Z`;
}

test("during the bank's Retry-After an old answer resolves nothing, and the run says so", async () => {
  const { journal } = db;
  const own = { movementId: '990001', networkId: 'N990001' };
  const originId = await completed(own);
  const error = { code: 'HTTP_STATUS', httpStatus: 503, retryAfterMs: 7_200_000 } as const;
  const { run } = workerOf({
    getMovement: () => Promise.resolve({ kind: 'no-answer', error } as LookupReply),
  });
  const key = `QUERY_ERROR:NO_ANSWER:${originId}`;
  const stateOf = async () =>
    (await journal.knownBreaks({ keys: [key], originIds: [] })).map((one) => one.break.state);

  const first = await run(nextAsOf());
  expect(first.notAsked).toContainEqual({ originId, book: 'bank', why: 'NO_ANSWER' });
  expect(await stateOf()).toEqual(['open']);
  const second = await run(nextAsOf());
  expect(second.outcome).toBe('PARTIAL');
  expect(second.notAsked).toContainEqual({ originId, book: 'bank', why: 'TOO_SOON' });
  expect(await stateOf()).toEqual(['open']);
});

test('one network id under two originIds is the same break from both, also when one of them has a later id', async () => {
  const { journal } = db;
  const one = await completed({ movementId: '990002', networkId: 'N990002' });
  const other = await openNew(journal);
  await ask(journal, other, 1, answered('CREATED', { movementId: '990003', networkId: 'N990002' }));
  await ask(journal, other, 2, movement('DELAYED', { movementId: '990003', networkId: 'N990003' }));
  const asOf = nextAsOf();
  await workerOf({ getMovement: () => Promise.resolve({ kind: 'not-found' } as LookupReply) }).open(asOf);
  const page = await journal.runPage({ asOf, after: one - 1, limit: 2 });
  expect(page.map(({ originId, sameNetworkId }) => [originId, sameNetworkId])).toEqual([
    [one, [other]],
    [other, [one]],
  ]);
});

test('a bank that does not answer: everything that was not asked is listed with the reason, also beyond the report', async () => {
  const { journal } = db;
  for (let i = 0; i < 100; i += 1) {
    await completed({ movementId: `77${i}`, networkId: `N77${i}` });
  }
  const error = { code: 'TIMEOUT', httpStatus: null, retryAfterMs: null } as const;
  const asOf = nextAsOf();
  const { notAskedCount, notAsked, outcome } = await workerOf({
    getMovement: () => Promise.resolve({ kind: 'no-answer', error } as LookupReply),
  }).run(asOf);
  expect(outcome).toBe('PARTIAL');
  expect(notAskedCount).toBeGreaterThan(100);
  expect(notAsked).toHaveLength(100);
  const told: NotAsked[] = [];
  for (;;) {
    const page = await journal.notAsked({ asOf, after: told.at(-1) ?? null, limit: 40 });
    told.push(...page);
    if (page.length < 40) break;
  }
  expect(told).toHaveLength(notAskedCount);
  const reasons = new Set(told.map(({ reason }) => reason));
  expect([...reasons].sort()).toEqual(['BANK_UNREACHABLE', 'NO_ANSWER', 'TOO_SOON']);

  const [last, before] = await journal.reconciliations({ limit: 2 });
  expect(last).toMatchObject({ asOf, state: 'PARTIAL', notAsked: notAskedCount });
  expect(last?.endedAt).not.toBeNull();
  const count = last?.transfers;
  expect(await journal.runProgress(asOf)).toEqual({ ended: true, total: count, checked: count });
  // Opened by a test above, and not brought to its end.
  expect(before).toMatchObject({ state: 'UNFINISHED', breaks: null, endedAt: null, checked: 0 });
});

test('a debit of what was closed as never taken, which the bank knows: one break, and an incident, not an orphan besides', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  await ask(journal, originId, 1, REFUSED);
  await journal.recordResult(aResult(originId, 'REFUSED'));
  const debit = (name: string, ids: { originIds?: number[]; movementIds?: string[] }) => ({
    ...{ deliveryKey: `debit-${originId}-${name}`, movementType: null, originIds: [], movementIds: [] },
    ...{ networkIds: [], ...ids },
  });
  await confirmedDebits(journal, [
    debit('by our id', { originIds: [originId] }),
    debit("by the bank's", { movementIds: [String(originId)] }),
    debit('another movement', { originIds: [originId], movementIds: ['990099'] }),
  ]);
  const asOf = nextAsOf();
  await workerOf({
    getMovement: (key) =>
      Promise.resolve(
        'originId' in key && key.originId === String(originId) ? movementOf(originId) : { kind: 'not-found' },
      ),
  }).run(asOf);
  const { breaks = [] } = (await journal.report(asOf)) ?? {};
  const told = breaks.filter((one) => one.originId === originId || one.class === 'ORPHAN_AT_BANK');
  expect(told.map(({ key }) => key).sort()).toEqual([
    'ORPHAN_AT_BANK:MOVEMENT:990099',
    `STATE_MISMATCH:REFUSED_BUT_KNOWN:${originId}`,
  ]);
});

test('an originId without a transfer: asked by the cadence, over all runs, and not again by a step that is repeated', async () => {
  const { journal } = db;
  const { originId } = await journal.bindReference(`lost ${Date.now()}`);
  let asked = 0;
  const { run, open } = workerOf({
    getMovement: (key) => {
      if (!('originId' in key) || key.originId !== String(originId)) {
        return Promise.resolve<LookupReply>({ kind: 'not-found' });
      }
      asked += 1;
      return Promise.resolve(movementOf(originId));
    },
  });
  const asOf = nextAsOf();
  await run(asOf);
  const key = `MISSING_IN_JOURNAL:MOVEMENT_WITHOUT_ENTRY:${originId}`;
  const { breaks = [] } = (await journal.report(asOf)) ?? {};
  expect(breaks.filter((one) => one.originId === originId)).toMatchObject([{ key, severity: 'critical' }]);
  expect(asked).toBe(1);

  const claim = (over: Partial<InquiryClaim> = {}) =>
    journal.claimInquiry({
      ...{ originId, asOf, askedBy: 'test', lostAfter: null, gapMs: 1, delayedGapMs: 1 },
      ...{ createMaxMs: 1, lookupMaxMs: 1, ...over },
    });
  expect(await claim()).toMatchObject({ kind: 'answered' });
  const later = nextAsOf();
  await open(later);
  expect(await claim({ asOf: later, gapMs: 600_000 })).toMatchObject({ kind: 'too-soon' });
  expect(await claim({ asOf: later })).toMatchObject({ kind: 'claimed', as: 'inquiry', number: 2 });
  // Claimed and not recorded: it may be in flight.
  expect(await claim({ asOf: later, lookupMaxMs: 600_000 })).toMatchObject({ kind: 'too-soon' });
});

/** A rule of the database that refuses these answers, as a guard does. */
async function refusing<T>(table: string, originId: number, work: () => Promise<T>): Promise<T> {
  await db.sql(`create function giro.refuse_test() returns trigger language plpgsql as $$
    begin raise exception 'giro: refused in this test' using errcode = 'GR002'; end $$`);
  await db.sql(`create trigger refuse_test before insert on giro.${table} for each row
    when (new.origin_id = ${originId}) execute function giro.refuse_test()`);
  try {
    return await work();
  } finally {
    await db.sql('drop function giro.refuse_test cascade');
  }
}

test.each(['answer', 'inquiry_answer'])(
  'an answer that the journal refuses (%s) is a break with its reason, and the run goes on',
  async (table) => {
    const { journal } = db;
    const originId =
      table === 'inquiry_answer'
        ? await completed({ movementId: `5${newOriginId()}`, networkId: `N5${newOriginId()}` })
        : await openNew(journal);
    if (table === 'answer') await ask(journal, originId, 1, answered('CREATED', { movementId: null }));
    const other = await completed({ movementId: `6${newOriginId()}`, networkId: `N6${newOriginId()}` });
    const asked = new Set<number>();
    const { run } = workerOf({
      getMovement: (key) => {
        const id = Number('originId' in key ? key.originId : 0);
        asked.add(id);
        return Promise.resolve(movementOf(id));
      },
    });
    const key = `QUERY_ERROR:NOT_RECORDED:${originId}`;
    const known = async () => (await journal.knownBreaks({ keys: [key], originIds: [] }))[0]?.break;
    const first = await refusing(table, originId, () => run(nextAsOf()));
    expect(first.outcome).toBe('PARTIAL');
    expect(first.notAsked).toContainEqual({ originId, book: 'bank', why: 'NOT_RECORDED' });
    expect(await known()).toMatchObject({
      ...{ state: 'open', detail: expect.stringContaining('giro: refused in this test') },
    });
    expect(asked).toContain(originId);
    expect(asked).toContain(other);

    // Once the answer is recorded, the break goes.
    await run(nextAsOf());
    expect((await known())?.state).toBe('resolved');
  },
);

test('an answer that a frozen worker records after the end, with another movement, is a break', async () => {
  const { journal } = db;
  const originId = await openNew(journal);
  const ids = { movementId: '990010', networkId: 'N990010' };
  await ask(journal, originId, 1, answered('CREATED', { movementId: null, networkId: null }));
  await journal.claimRequest({ originId, number: 2, kind: 'lookup', runId: 'frozen' });
  await ask(journal, originId, 3, movement('COMPLETED', ids));
  await journal.recordResult(aResult(originId, 'COMPLETED', ids));
  const { run } = workerOf({
    getMovement: (key) => {
      const { movement, ...reply } = movementOf(Number('originId' in key ? key.originId : 0)) as Extract<
        LookupReply,
        { kind: 'movement' }
      >;
      return Promise.resolve({ ...reply, movement: { ...movement, id: '990010', networkId: 'N990010' } });
    },
  });
  const key = `STATE_MISMATCH:TWO_MOVEMENTS:${originId}`;
  const stateOf = async () =>
    (await journal.knownBreaks({ keys: [key], originIds: [] })).map((one) => one.break.state);
  await run(nextAsOf());
  expect(await stateOf()).toEqual([]);

  const late = movement('IN_PROGRESS', { movementId: '990011', networkId: 'N990010' });
  await journal.recordAnswer({ originId, number: 2, answer: late, digest: 'late' });
  await run(nextAsOf());
  expect(await stateOf()).toEqual(['open']);
});
