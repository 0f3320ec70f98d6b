import { judgeDurability } from '../../src/doctor/durability-check';
import type { Durability } from '../../src/journal/server';

const SINGLE: Durability = {
  fsync: true,
  fullPageWrites: true,
  synchronousCommit: 'on',
  asksForStandby: false,
  standbys: 0,
  synchronousStandbys: 0,
};
const PAIR: Durability = { ...SINGLE, asksForStandby: true, standbys: 1, synchronousStandbys: 1 };

test.each<[string, Durability]>([
  ['a single server', SINGLE],
  ['a single server whose commits need not wait for a standby', { ...SINGLE, synchronousCommit: 'local' }],
  ['a synchronous standby', PAIR],
  ['one that has to have applied it', { ...PAIR, synchronousCommit: 'remote_apply' }],
  ['a standby whose state this login may not see', { ...PAIR, synchronousStandbys: null }],
  ['a single server asked for remote_write', { ...SINGLE, synchronousCommit: 'remote_write' }],
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
    'a standby that has commits in memory alone',
    { ...PAIR, synchronousCommit: 'remote_write' },
    /^synchronous_commit is remote_write: .*loses/,
    /= on/,
  ],
  [
    'a synchronous standby that is away',
    { ...PAIR, standbys: 0, synchronousStandbys: 0 },
    /^no standby that synchronous_standby_names names is connected: every commit waits/,
    /bring a named standby back/,
  ],
  [
    'one that is away, for a login that sees no states',
    { ...PAIR, standbys: 0, synchronousStandbys: null },
    /^no standby/,
    /bring a named standby back/,
  ],
  [
    'other standbys than those that are named',
    { ...PAIR, standbys: 2, synchronousStandbys: 0 },
    /is connected \(connected: 2\): every commit waits/,
    /application_name/,
  ],
  [
    'a standby behind',
    { ...SINGLE, standbys: 1 },
    /^a standby is connected and none/,
    /synchronous_standby_names/,
  ],
  ['two of them', { ...SINGLE, standbys: 2 }, /^2 standbys are connected/, /synchronous_standby_names/],
])('%s is a result', (_, found, detail, remedy) => {
  const result = judgeDurability(found);
  expect(result.ok).toBe(false);
  expect(result.detail).toMatch(detail);
  expect(result.remedy).toMatch(remedy);
});

test('all of it in one line', () => {
  const { detail, remedy } = judgeDurability({
    fsync: false,
    fullPageWrites: false,
    synchronousCommit: 'off',
    asksForStandby: false,
    standbys: 1,
    synchronousStandbys: 0,
  });
  expect(detail.split('; ')).toHaveLength(4);
  expect(remedy?.split('; ')).toHaveLength(4);
  expect(detail + String(remedy)).not.toContain('\n');
});
