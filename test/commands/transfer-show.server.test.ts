import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../dev/giro-environment';
import { keyRingText } from '../../src/codec/key-ring';
import type { Env } from '../../src/config/env';
import type { TransferOrder } from '../../src/domain/order';
import type { SandboxRule } from '../../src/sandbox-bank';
import { freshKeyRing } from '../codec/key-rings';
import { nextOriginId, orderOf, useEnvironment } from '../e2e/environment';
import type { TestEnvironment } from '../e2e/environment';
import { validate } from '../schemas/validate';
import { accountsAndOwners } from '../support/made-up-party';
import { testServers } from '../support/servers';
import { giro } from './support/memory-io';

/** What the bank reports in place of the order's account and tax ids. */
const ACCOUNT = '3220001880500009999902';
const PERSON = '27361705039';
const REASON = 'ticket 88';

const lastFour = (digits: string): string => digits.slice(-4);
/** The line of a value that differs, by its last four digits. */
const shown = (field: string, ordered: string, reported: string): RegExp =>
  new RegExp(`^${field.replace('.', '\\.')} +…${lastFour(ordered)} +…${lastFour(reported)}$`, 'm');

const rules: SandboxRule[] = [
  {
    match: { description: 'other account' },
    states: ['COMPLETED'],
    echo: [
      {
        set: {
          ...{ 'details.amount': 1600.5, 'counterparty.accountRouting.address': ACCOUNT },
          'thisSubAccount.owners': [{ personId: PERSON }],
        },
      },
    ],
  },
  { match: { description: 'other amount' }, states: ['COMPLETED'], echo: [{ set: { 'details.amount': 7 } }] },
  {
    match: { description: 'alias' },
    states: ['CREATED'],
    echo: [{ set: { 'counterparty.personId': 'Ana P' } }],
  },
  { match: { description: 'open' }, states: ['CREATED'] },
];

const ring = freshKeyRing('k1');
const folder = mkdtempSync(join(tmpdir(), 'giro-show-'));
const keysFile = (name: string, keys = ring): string => {
  const file = join(folder, name);
  writeFileSync(file, keyRingText(keys), { mode: 0o600 });
  return file;
};
afterAll(() => rmSync(folder, { recursive: true }));

const settings = { pollActiveMs: 250, pollDelayedMs: 500 };

function showing(environment: () => TestEnvironment) {
  const show = (originId: number, options: readonly string[] = [], more: Env = {}) => {
    const { databaseUrl, taskQueue } = environment();
    return giro(['transfer', 'show', String(originId), ...options], {
      env: {
        ...{ TEMPORAL_ADDRESS: testServers().temporalAddress, DATABASE_URL: databaseUrl },
        ...{ GIRO_TASK_QUEUE: taskQueue, ...more },
      },
    });
  };
  return {
    show,
    audited: () => environment().env.journal.auditEntries({ action: 'transfer show', limit: 10 }),
    started: async (description: string): Promise<number> => {
      const originId = nextOriginId();
      const { env } = environment();
      await env.giro.startTransfer(orderOf(originId, description));
      await until(
        () => env.journal.transfer(originId),
        (record) => (description === 'open' ? record?.bankStatus === 'CREATED' : record?.phase === 'held'),
      );
      return originId;
    },
  };
}

describe('with a key ring', () => {
  const environment = useEnvironment({ keyRing: ring, settings, rules });
  const { show, started, audited } = showing(environment);
  let keys: Env;
  let held: number;
  let ordered: TransferOrder;
  beforeAll(async () => {
    keys = { CODEC_KEYS_FILE: keysFile('keys.json') };
    held = await started('other account');
    ordered = orderOf(held, 'other account');
  });

  test('a held transfer: amounts side by side, accounts and tax ids by their last four digits', async () => {
    const { code, stdout, stderr, log } = await show(held, [], keys);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^amount: +\d+\.\d\d$/m);
    expect(stdout).toMatch(/^ordered: +\d+\.\d\d, currency 032$/m);
    expect(stdout).toMatch(/^reported: +1600\.50, currency 032$/m);
    expect(stdout).toMatch(shown('destination.address', ordered.to.address, ACCOUNT));
    expect(stdout).toMatch(shown('source.personId', ordered.from.owner.personId, PERSON));
    expect(stdout).toContain(`giro transfer show ${held} --reveal --operator NAME --reason TEXT`);
    const all = stdout + stderr + JSON.stringify(log);
    for (const value of [...accountsAndOwners(ordered), ACCOUNT, PERSON]) expect(all).not.toContain(value);
  });

  test('--json: the same, and nobody is written down for it', async () => {
    const { code, stdout } = await show(held, ['--json'], keys);
    const report: unknown = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(validate('transfer-report', report)).toBeNull();
    expect(report).toMatchObject({
      status: null,
      amount: { currency: '032', value: expect.stringMatching(/^\d+\.\d\d$/) },
      doubtfulAnswer: {
        ordered: { amount: expect.stringMatching(/^\d+\.\d\d$/), currency: '032' },
        reported: { amount: '1600.50', currency: '032' },
      },
      differingValues: {
        ...{ number: expect.any(Number), at: expect.stringMatching(/Z$/), shown: 'last-four', why: null },
        values: [
          { field: 'destination.address', ordered: lastFour(ordered.to.address), reported: ['9902'] },
          { field: 'source.personId', ordered: lastFour(ordered.from.owner.personId), reported: ['5039'] },
        ],
      },
    });
    for (const value of [...accountsAndOwners(ordered), ACCOUNT, PERSON]) expect(stdout).not.toContain(value);
    expect(await audited()).toEqual([]);
  });

  test('text that is no number is not shown', async () => {
    const originId = await started('alias');
    const { to } = orderOf(originId, 'alias');
    const { stdout } = await show(originId, [], keys);
    expect(stdout).toMatch(
      new RegExp(`^destination\\.personId +…${lastFour(to.owner.personId)} +no number$`, 'm'),
    );
    expect(stdout).not.toContain('Ana P');
    expect(JSON.parse((await show(originId, ['--json'], keys)).stdout)).toMatchObject({
      differingValues: { values: [{ reported: [null] }] },
    });
  });

  test('--reveal shows them whole, and says before who did, and why', async () => {
    const options = ['--reveal', '--operator', 'ana', '--reason', REASON];
    const text = await show(held, options, keys);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(
      new RegExp(`^destination\\.address +${ordered.to.address} +${ACCOUNT}$`, 'm'),
    );
    expect(text.stdout).not.toContain('…');
    expect(JSON.stringify(text.log)).not.toContain(ACCOUNT);
    const [line, ...earlier] = await audited();
    expect(earlier).toEqual([]);
    expect(line).toMatchObject({ subject: String(held), operator: 'ana', reason: REASON });
    expect(JSON.stringify(line)).not.toMatch(
      new RegExp([...accountsAndOwners(ordered), ACCOUNT, PERSON].join('|')),
    );

    const { stdout } = await show(held, [...options, '--json'], keys);
    expect(validate('transfer-report', JSON.parse(stdout))).toBeNull();
    expect(JSON.parse(stdout)).toMatchObject({
      differingValues: {
        shown: 'whole',
        values: [{ ordered: ordered.to.address, reported: [ACCOUNT] }, { reported: [PERSON] }],
      },
    });
    expect(await audited()).toHaveLength(2);
  });

  test('what cannot be written down is not shown', async () => {
    const { env } = environment();
    const journal = { ...env.journal, recordAudit: () => Promise.reject(new Error('no audit')) };
    const { stdout, code } = await giro(
      ['transfer', 'show', String(held), '--reveal', '--operator', 'ana', '--reason', REASON],
      {
        env: {
          ...keys,
          TEMPORAL_ADDRESS: testServers().temporalAddress,
          DATABASE_URL: 'postgres://x@127.0.0.1/x',
        },
        overrides: { journal: journal as never },
      },
    );
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
  });

  test.each([
    ['without a reason', ['--reveal', '--operator', 'ana'], '--reveal needs --reason'],
    ['a reason without --reveal', ['--reason', REASON], 'belong to --reveal'],
    ['an account in the reason', ['--reveal', '--reason', ACCOUNT], '--reason'],
  ])('%s: exit 2, and nobody is shown anything', async (_, options, says) => {
    const before = await audited();
    const { code, stdout, stderr } = await show(held, options, keys);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).not.toContain(ACCOUNT);
    expect(await audited()).toEqual(before);
  });

  test.each([
    ['no key ring', () => ({}), 'CODEC_KEYS_FILE is not set'],
    ['another one', () => ({ CODEC_KEYS_FILE: keysFile('other.json', freshKeyRing('k2')) }), 'no key k1'],
  ])('--reveal with %s: exit 2', async (_, env, says) => {
    const before = await audited();
    const { code, stdout, stderr } = await show(held, ['--reveal', '--reason', REASON], env());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(await audited()).toEqual(before);
  });

  test('--reveal where no account differs: exit 2', async () => {
    const originId = await started('other amount');
    const { code, stderr } = await show(originId, ['--reveal', '--reason', REASON], keys);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('no account or tax id differs'),
    });
    const { stdout } = await show(originId, ['--json'], keys);
    expect(JSON.parse(stdout)).toMatchObject({
      differingValues: null,
      doubtfulAnswer: { reported: { amount: '7.00' } },
    });
  });

  test('an open transfer that nobody doubts shows what was ordered', async () => {
    const originId = await started('open');
    const { stdout } = await show(originId, [], keys);
    expect(stdout).toMatch(/^amount: +\d+\.\d\d$/m);
    expect(stdout).not.toMatch(/^(ordered|reported):/m);
  });
});

describe('without a key ring', () => {
  const { show, started } = showing(useEnvironment({ settings, rules }));

  test('amounts as ever; of accounts it says that nothing is kept, and there is nothing to reveal', async () => {
    const originId = await started('other account');
    const { code, stdout } = await show(originId);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^reported: +1600\.50, currency 032$/m);
    expect(stdout).toMatch(/^destination\.address, source\.personId: not kept/m);
    expect(stdout).toContain('CODEC_KEYS_FILE');
    expect(stdout).not.toContain('--reveal');
    const report: unknown = JSON.parse((await show(originId, ['--json'])).stdout);
    expect(validate('transfer-report', report)).toBeNull();
    expect(report).toMatchObject({
      differingValues: { shown: 'nothing', why: expect.stringContaining('not kept'), values: [] },
    });
    const revealed = await show(originId, ['--reveal', '--reason', REASON]);
    expect(revealed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('not kept') });
  });
});
