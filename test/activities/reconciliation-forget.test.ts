import { MockActivityEnvironment } from '@temporalio/testing';
import { logNotForgotten } from '../../src/activities/log-reconciliation';
import { reconciliationActivities } from '../../src/activities/reconciliation';
import { forgetOldRuns } from '../../src/activities/reconciliation/forget-old-runs';
import { JournalStatementError } from '../../src/journal/errors';
import type { ReportHead } from '../../src/reconciliation/report';

/** Old details are deleted run by run; a failed deletion is reported. */

const AS_OF = '2026-03-05T12:00:00Z';

test('each run is emptied and noted before the next one, and the lines of statements after them', async () => {
  const left = new Map([
    ['a', 25_000],
    ['b', 0],
    ['c', 10_000],
  ]);
  let lines = 12_000;
  const noted: string[] = [];
  const keepMs = 1;
  await forgetOldRuns(
    {
      markForgotten: () => Promise.resolve(),
      nextToForget: () => Promise.resolve([...left.keys()].find((asOf) => !noted.includes(asOf)) ?? null),
      forgetRun: ({ asOf, limit }) => {
        const gone = Math.min(limit, left.get(asOf) ?? 0);
        left.set(asOf, (left.get(asOf) ?? 0) - gone);
        return Promise.resolve(gone);
      },
      noteEmptied: (asOf) => {
        expect(left.get(asOf)).toBe(0);
        noted.push(asOf);
        return Promise.resolve();
      },
      forgetLines: ({ limit }) => {
        expect(noted).toHaveLength(3);
        const gone = Math.min(limit, lines);
        lines -= gone;
        return Promise.resolve(gone);
      },
    },
    keepMs,
  );
  expect(noted).toEqual(['a', 'b', 'c']);
  expect(lines).toBe(0);
});

test('a failed deletion is reported, and the run ends as it was', async () => {
  const window = { asOf: AS_OF, from: AS_OF, to: AS_OF, isDefault: true, statementId: null };
  const told: unknown[] = [];
  const log = logNotForgotten({ error: (...line: unknown[]) => told.push(line) } as never);
  const activities = reconciliationActivities({
    journal: {
      openedRun: () => Promise.resolve({ kind: 'open', window, total: 0 }),
      runSteps: () => Promise.resolve([]),
      seenTallies: () => Promise.resolve({ byClass: {}, bySeverity: {} }),
      endRun: () => Promise.resolve(null),
      markForgotten: () => Promise.reject(new JournalStatementError('mark-forgotten-runs: refused', '42501')),
    },
    keepMs: 1,
    onKept: log,
  } as never);
  const ended = await new MockActivityEnvironment().run(activities.endReconciliation, AS_OF);
  expect(ended).toMatchObject({ asOf: AS_OF, outcome: 'CLEAN' });
  expect(told).toEqual([
    [{ reason: 'mark-forgotten-runs: refused' }, 'rows older than RECONCILE_KEEP could not be deleted'],
  ]);
  log(new TypeError('of a row'));
  expect(told.at(-1)).toEqual([{ reason: 'TypeError' }, expect.any(String)]);
});

test('a report that is recorded is given on, by a repeated step too', async () => {
  const window = { asOf: AS_OF, from: AS_OF, to: AS_OF, isDefault: true, statementId: null };
  const link = {
    sequence: 1,
    cursor: null,
    records: 0,
    previousSha256: '0'.repeat(64),
    sha256: 'a'.repeat(64),
  };
  const told: unknown[] = [];
  const endWith = async (opened: unknown) => {
    const activities = reconciliationActivities({
      journal: {
        openedRun: () => Promise.resolve(opened),
        runSteps: () => Promise.resolve([]),
        seenTallies: () => Promise.resolve({ byClass: {}, bySeverity: {} }),
        endRun: () => Promise.resolve(link),
        markForgotten: () => Promise.resolve(),
        nextToForget: () => Promise.resolve(null),
        forgetLines: () => Promise.resolve(0),
      },
      keepMs: 1,
      onRecorded: ({ asOf, chain }: ReportHead) => Promise.resolve(told.push({ asOf, chain })),
    } as never);
    return new MockActivityEnvironment().run(activities.endReconciliation, AS_OF);
  };
  const ended = await endWith({ kind: 'open', window, total: 0 });
  expect(ended).toMatchObject({ asOf: AS_OF, chain: link });
  await endWith({ kind: 'ended', report: { ...(ended as object), notAsked: [], chain: link } });
  expect(told).toEqual([
    { asOf: AS_OF, chain: link },
    { asOf: AS_OF, chain: link },
  ]);
});
