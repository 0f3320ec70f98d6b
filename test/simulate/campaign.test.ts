import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSamePlay, rarePoints, readReport, writeReport } from '../../dev/simulate/campaign';
import type { SeedReport } from '../../dev/simulate/campaign';
import { FAULT_POINTS } from '../../dev/simulate/faults';
import type { FaultPoint } from '../../dev/simulate/faults';

const folder = mkdtempSync(join(tmpdir(), 'giro-campaign-'));
afterAll(() => rmSync(folder, { recursive: true }));

const points = Object.fromEntries(Object.keys(FAULT_POINTS).map((point) => [point, 10]));
const reportOf = (seed: number, violations: readonly string[]): SeedReport => ({
  ...{
    seed,
    at: '2026-01-02T03:04:05.678Z',
    machine: 'a machine',
    build: 'abc',
    clock: 'bank',
    isEncrypted: false,
  },
  engineStore: seed === 1 ? 'postgres' : 'file',
  ...{ isSigned: seed === 2, violations, command: `npm run simulate -- --seed ${seed}` },
  done: {
    ...{
      transfers: 200,
      ended: { COMPLETED: 150, FAILED: 40 },
      kills: 30,
      stops: 5,
      receiverKills: 4,
      receiverStops: 1,
    },
    ...{ systemFaults: { 'journal killed': 2 }, points: points as Record<FaultPoint, number>, resets: 3 },
    ...{
      keyLosses: 0,
      hints: 1,
      decisions: 2,
      queries: 3,
      bankRequests: 900,
      endedByThemselves: 1,
      standstillMs: 61_000,
      ms: 1_800_000,
    },
  },
});

test('a report is read again as it was written, and a page shows its sums', () => {
  const path = join(folder, 'new', 'campaign.json');
  expect(readReport(path)).toEqual([]);
  const reports = [reportOf(1, []), reportOf(2, ['amount, transfer 7: wrong'])];
  writeReport(path, reports);
  expect(readReport(path)).toEqual(reports);
  const page = readFileSync(join(folder, 'new', 'campaign.md'), 'utf8');
  for (const line of [
    /^\| transfers +\| 400 +\|$/m,
    /^\| of these FAILED +\| 80 +\|$/m,
    /^\| workers killed at a point +\| 60 +\|$/m,
    /^\| journal killed +\| 4 +\|$/m,
    /^\| 1 +\| 2026-01-02 03:04 \| real time, Temporal on PostgreSQL +\|/m,
    /^\| 2 +\| 2026-01-02 03:04 \| real time, signed +\|/m,
    /^\| hours +\| 1\.0 +\|$/m,
    /^\| longest standstill, s +\| 61 +\|$/m,
    /^Seed 2, `npm run simulate -- --seed 2`:\n\n- amount, transfer 7: wrong$/m,
  ])
    expect(page).toMatch(line);
});

test('a seed is played again for another build or another part of the plan', () => {
  const report = reportOf(1, []);
  const { build, command } = report;
  expect(isSamePlay({ build, command }, report)).toBe(true);
  expect(isSamePlay({ build: 'abd', command }, report)).toBe(false);
  expect(isSamePlay({ build, command: `${command} --calm` }, report)).toBe(false);
});

test('points that were met fewer than twenty times are named', () => {
  expect(rarePoints([reportOf(1, []), reportOf(2, [])])).toEqual([]);
  expect(rarePoints([reportOf(1, [])])).toEqual(Object.keys(FAULT_POINTS));
});
