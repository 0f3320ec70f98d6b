import { MockActivityEnvironment } from '@temporalio/testing';
import { reconciliationActivities } from '../../src/activities/reconciliation';
import { createBankGate } from '../../src/bank/gate/gate';
import type { BankClient, LookupReply } from '../../src/bank/movements/port';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { quietRuntime } from '../support/quiet-runtime';
import { openTestJournal } from '../journal/support/open-test-journal';
import type { TestJournal } from '../journal/support/open-test-journal';
import { aResult, anOrder, answered, ask, openNew } from '../journal/support/transfers';

/** A worker that goes in the middle of a step, on a real journal: the step is done again, and nobody is asked again. */

const TRANSFERS = 30;
const KILLED_AFTER = 12;

let db: TestJournal;
beforeAll(async () => {
  quietRuntime();
  db = await openTestJournal();
});
afterAll(() => db.close());

function movementOf(originId: number): LookupReply {
  const { from, to } = anOrder(originId);
  const account = ({ address, owner }: typeof from) => ({ address, personIds: [owner.personId] });
  return {
    kind: 'movement',
    movement: {
      ...{ id: String(originId), status: 'COMPLETED', hasDetails: true, originId: String(originId) },
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
  const worker = () => {
    const activities = reconciliationActivities({
      ...{ bank, journal, maxRps: 0 },
      engine: {
        look: () => Promise.resolve({ kind: 'missing' }),
        started: () => Promise.resolve({ originIds: [], token: null }),
        hint: () => Promise.resolve(),
        restart: () => Promise.resolve(),
      },
      settings: { ...DEFAULT_TRANSFER_SETTINGS, pollActiveMs: 1, lookupTimeoutMs: 100 },
      gate: createBankGate({ maxRps: 0, pollActiveMs: 1 }),
    });
    const runIn = new MockActivityEnvironment();
    return {
      open: (asOf: string) =>
        runIn.run(activities.openReconciliation, { input: { asOf }, defaultAsOf: asOf }),
      step: (asOf: string, step: number) => runIn.run(activities.reconcileStep, { asOf, step }),
      end: (asOf: string) => runIn.run(activities.endReconciliation, asOf),
    };
  };
  const asOf = `${new Date().toISOString().slice(0, 19)}Z`;
  const first = worker();
  expect(await first.open(asOf)).toEqual({ asOf, result: null });
  await expect(first.step(asOf, 1)).rejects.toThrow('the process is gone');
  expect(asked.size).toBe(KILLED_AFTER);
  expect(await journal.runStep(asOf, 1)).toBeNull();

  isKilled = false;
  asked.set('the second worker', 1);
  const second = worker();
  const more: boolean[] = [];
  for (let step = 1; step <= 3; step += 1) more.push((await second.step(asOf, step)) === true);
  expect(more).toEqual([true, true, false]);
  asked.delete('the second worker');
  expect(asked.size).toBe(TRANSFERS);
  expect([...new Set(asked.values())]).toEqual([1]);

  // A step that is done, and an end, are what they were.
  expect(await second.step(asOf, 1)).toBe(true);
  const result = await second.end(asOf);
  expect(result).toMatchObject({ outcome: 'CLEAN', totals: { transfers: { count: TRANSFERS } } });
  expect(await first.end(asOf)).toEqual(result);
  expect(await first.open(asOf)).toEqual({ asOf, result });
  expect([...new Set(asked.values())]).toEqual([1]);
});
