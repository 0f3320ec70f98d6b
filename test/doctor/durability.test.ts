import { judgeDurability } from '../../src/doctor/durability-check';
import type { Durability } from '../../src/journal/durability';

const SINGLE: Durability = {
  fsync: true,
  fullPageWrites: true,
  synchronousCommit: 'on',
  asksForStandby: false,
  standbys: 0,
};
const PAIR: Durability = { ...SINGLE, asksForStandby: true, standbys: 1 };

test.each<[string, Durability]>([
  ['a single server', SINGLE],
  ['a single server whose commits need not wait for a standby', { ...SINGLE, synchronousCommit: 'local' }],
  ['a synchronous standby', PAIR],
  ['one that has to have applied it', { ...PAIR, synchronousCommit: 'remote_apply' }],
  ['one that has to have received it', { ...PAIR, synchronousCommit: 'remote_write' }],
  ['a synchronous standby that is away: commits wait for it', { ...PAIR, standbys: 0 }],
])('%s is well', (_, found) => {
  expect(judgeDurability(found)).toMatchObject({ ok: true, remedy: null });
});

test.each<[string, Durability, RegExp, RegExp]>([
  ['no flush', { ...SINGLE, fsync: false }, /^fsync is off/, /fsync = on/],
  ['torn pages', { ...SINGLE, fullPageWrites: false }, /^full_page_writes is off/, /full_page_writes = on/],
  [
    'commits that do not wait',
    { ...PAIR, synchronousCommit: 'off' },
    /^synchronous_commit is off/,
    /= on.*pooler/,
  ],
  [
    'commits that do not wait for the standby',
    { ...PAIR, synchronousCommit: 'local' },
    /^synchronous_commit is local/,
    /= on/,
  ],
  [
    'a standby behind',
    { ...SINGLE, standbys: 1 },
    /^a standby is connected and none/,
    /synchronous_standby_names/,
  ],
  ['two of them', { ...SINGLE, standbys: 2 }, /^2 standbys are connected/, /synchronous_standby_names/],
])('%s is a finding', (_, found, detail, remedy) => {
  const finding = judgeDurability(found);
  expect(finding.ok).toBe(false);
  expect(finding.detail).toMatch(detail);
  expect(finding.remedy).toMatch(remedy);
});

test('all of it in one line', () => {
  const { detail, remedy } = judgeDurability({
    fsync: false,
    fullPageWrites: false,
    synchronousCommit: 'off',
    asksForStandby: false,
    standbys: 1,
  });
  expect(detail.split('; ')).toHaveLength(4);
  expect(remedy?.split('; ')).toHaveLength(4);
  expect(detail + String(remedy)).not.toContain('\n');
});
