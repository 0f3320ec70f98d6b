import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateOf, until } from '../../dev/giro-environment';
import { recordAnnulment } from '../../src/activities/record-annulment';
import { recordDecision, recordResult } from '../../src/activities/record-transfer';
import type { RefusedDecision } from '../../src/activities/transfer-observer';
import { readAllowedSigners } from '../../src/decisions/allowed-signers';
import type { AllowedSigner } from '../../src/decisions/allowed-signers';
import type {
  DecisionAction,
  DecisionRecord,
  DecisionRequest,
} from '../../src/domain/transfer/decisions/decision';
import { observationsOf } from '../../src/domain/transfer/facts';
import { NO_IDS } from '../../src/domain/transfer/movement-status';
import type { TransferResult } from '../../src/domain/transfer/result';
import { giro } from '../commands/support/memory-io';
import { useTemporaryFolder } from '../dev/temporary-folder';
import { testServers } from '../support/servers';
import { untilAnswered } from '../support/until-answered';
import { makeKey } from '../../dev/made-ssh-keys';
import type { MadeKey } from '../../dev/made-ssh-keys';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { sendDecision } from './send-decision';

/**
 * Decisions with everything on. An administrator of Temporal may send any update and rewrite any history; an operator
 * may have several keys. Neither can decide for somebody else, or twice.
 */
const KEYS = {
  ana: makeKey('ssh-ed25519'),
  anaToo: makeKey('sk-ssh-ed25519@openssh.com'),
  luis: makeKey('sk-ecdsa-sha2-nistp256@openssh.com'),
  left: makeKey('ecdsa-sha2-nistp256'),
  nobody: makeKey('ssh-ed25519'),
};
const listed = (who: string, { type, base64 }: MadeKey, options = ''): string =>
  `${who} ${options} ${type} ${base64}`;
const FILE = [
  listed('ana', KEYS.ana, 'namespaces="giro-decision"'),
  listed('ana', KEYS.anaToo),
  listed('luis', KEYS.luis),
  listed('eva', KEYS.left, 'valid-before="20260101Z"'),
].join('\n');

const signersIn = (text: string): readonly AllowedSigner[] => {
  const read = readAllowedSigners(text);
  if (!read.ok) throw new Error(read.reason);
  return read.signers;
};
/** The file, as it is now. */
let signers = signersIn(FILE);

const environment = useEnvironment({
  decisionSigners: () => signers,
  settings: { pollActiveMs: 1_000, pollDelayedMs: 1_000 },
  rules: [
    {
      match: { description: 'failed, wrong amount' },
      states: ['CREATED', 'FAILED'],
      echo: [{ set: { 'details.amount': 1 } }],
    },
    { match: { description: 'changes its word' }, states: ['CREATED', 'RETURNED'] },
  ],
});

async function flagged(description = 'failed, wrong amount', bankStatus?: string): Promise<number> {
  const originId = nextOriginId();
  const { env } = environment();
  await env.giro.startTransfer(orderOf(originId, description));
  await until(
    () => stateOf(env, originId),
    (state) =>
      state.attentionReasons.length > 0 && (bankStatus === undefined || state.bankStatus === bankStatus),
  );
  return originId;
}

type Signed = Required<DecisionRequest>;

async function signed(
  originId: number,
  action: DecisionAction,
  operator: string,
  key: MadeKey,
  lifeMs = 1_800_000,
): Promise<Signed> {
  const reason = 'carta del banco, 12 de mayo';
  const { line, decision } = await untilAnswered(() =>
    environment().env.giro.decisionToSign(originId, { action, operator, reason }, { lifeMs }),
  );
  return { ...decision, signature: key.sign(line) };
}

/** As whoever may write to the namespace sends it: with `originId` only where the decision has it. */
const send = (originId: number, decision: object) =>
  sendDecision(environment().env.transfer(originId), decision);

const refusal = (rule: RegExp) => ({
  cause: { type: 'DecisionRefused', message: expect.stringMatching(rule) as string },
});

const rowsOf = async (originId: number) =>
  (await environment().env.journal.keptDecisions(originId))?.decisions ?? [];

describe('signed decisions', () => {
  it('two operators with their keys end it; line, signature and key are kept', async () => {
    const { env } = environment();
    const originId = await flagged();
    const first = await signed(originId, 'accept-failed', 'ana', KEYS.ana);
    expect(await env.giro.decide(originId, first)).toEqual({ state: 'proposed', by: ['ana'] });
    const second = await signed(originId, 'accept-failed', 'luis', KEYS.luis);
    expect(second.evidenceNumber).toBe(first.evidenceNumber);
    expect(await env.giro.decide(originId, second)).toEqual({ state: 'accepted', by: ['ana', 'luis'] });
    expect(await env.giro.waitForTransfer(originId)).toMatchObject({
      status: 'FAILED',
      decidedBy: 'operators',
    });
    expect(await rowsOf(originId)).toMatchObject([
      { operator: 'ana', signature: first.signature, keyFingerprint: KEYS.ana.fingerprint },
      { operator: 'luis', signature: second.signature, keyFingerprint: KEYS.luis.fingerprint },
    ]);
    expect((await rowsOf(originId)).map(({ line }) => line)).toEqual([
      expect.stringContaining(`"originId":${originId}`),
      expect.stringContaining('"operator":"luis"'),
    ]);
  });

  it('what does not count, and which refusal people get', async () => {
    const originId = await flagged();
    const other = await flagged();
    const good = await signed(originId, 'accept-failed', 'ana', KEYS.ana);
    const { evidenceNumber: _e, expiresAt: _x, signature: _s, ...unsigned } = good;
    const tries: readonly (readonly [object, RegExp])[] = [
      [unsigned, /signature is missing: decisions are signed here/],
      [{ ...good, signature: '' }, /not an SSH signature, or not of an accepted kind/],
      [{ ...good, action: 'accept-not-taken' }, /signature does not count: the signature is wrong/],
      [{ ...good, reason: 'another' }, /the signature is wrong/],
      [{ ...good, operator: 'luis' }, /the signature is wrong/],
      [{ ...good, expiresAt: new Date(Date.now() + 60_000).toISOString() }, /the signature is wrong/],
      [
        { ...good, evidenceNumber: good.evidenceNumber + 1 },
        /evidenceNumber is not \d+: the bank has answered/,
      ],
      [{ ...good, extra: 1 }, /may have only the fields/],
      [
        await signed(originId, 'accept-failed', 'ana', KEYS.nobody),
        /its key is not listed for this operator/,
      ],
      [
        await signed(originId, 'accept-failed', 'mallory', KEYS.ana),
        /its key is not listed for this operator/,
      ],
      [await signed(originId, 'accept-failed', 'eva', KEYS.left), /not valid at this time/],
      [await signed(originId, 'accept-failed', 'ana', KEYS.ana, -1), /the signature has expired/],
      [
        await signed(originId, 'accept-failed', 'ana', KEYS.ana, 86_400_000),
        /expires more than an hour ahead/,
      ],
    ];
    for (const [decision, rule] of tries)
      await expect(send(originId, decision)).rejects.toMatchObject(refusal(rule));
    // A signature of this transfer at another one, with and without its originId.
    await expect(send(other, good)).rejects.toMatchObject(refusal(/originId is that of another transfer/));
    const { originId: _, ...moved } = good;
    await expect(send(other, moved)).rejects.toMatchObject(
      refusal(/the signature is wrong|evidenceNumber is not/),
    );
    expect([...(await rowsOf(originId)), ...(await rowsOf(other))]).toEqual([]);
    expect(await environment().env.journal.transfer(originId)).toMatchObject({ result: null, proposals: [] });
  });

  it('one operator with two keys is one', async () => {
    const originId = await flagged();
    const { env } = environment();
    await env.giro.decide(originId, await signed(originId, 'accept-failed', 'ana', KEYS.ana));
    expect(
      await env.giro.decide(originId, await signed(originId, 'accept-failed', 'ANA', KEYS.anaToo)),
    ).toEqual({
      state: 'proposed',
      by: ['ANA'],
    });
    expect(await rowsOf(originId)).toHaveLength(1);
  });

  it('a signature counts once: sent again after a withdrawal it is refused', async () => {
    const originId = await flagged();
    const first = await signed(originId, 'accept-failed', 'ana', KEYS.ana);
    await send(originId, first);
    await send(originId, await signed(originId, 'withdraw', 'luis', KEYS.luis));
    await expect(send(originId, first)).rejects.toMatchObject(refusal(/the signature has been used/));
    expect((await rowsOf(originId)).map(({ outcome }) => outcome)).toEqual(['proposed', 'withdrawn']);
  });

  it('after new evidence an old signature decides nothing', async () => {
    const originId = await flagged('changes its word', 'RETURNED');
    const { env } = environment();
    const old = await signed(originId, 'accept-completed', 'ana', KEYS.ana);
    env.bank.book.restate(String(originId), ['REVIEW']);
    await until(
      () => stateOf(env, originId),
      ({ bankStatus }) => bankStatus === 'REVIEW',
    );
    await expect(send(originId, old)).rejects.toMatchObject(refusal(/evidenceNumber is not \d+/));
    expect(await rowsOf(originId)).toEqual([]);
  });

  it('a history that was rewritten writes nothing: neither a decision, nor a result, nor an annulment', async () => {
    const { env } = environment();
    const originId = await flagged();
    const told: RefusedDecision[] = [];
    const context = {
      journal: env.journal,
      decisionSigners: { namespace: 'default', current: () => signers },
      observer: {
        ...{ requestEnded: () => undefined, ended: () => undefined, flagsRecorded: () => undefined },
        decisionRefused: (refused: RefusedDecision) => told.push(refused),
      },
    };
    const { signature, evidenceNumber, expiresAt } = await signed(
      originId,
      'accept-failed',
      'ana',
      KEYS.nobody,
    );
    const record: DecisionRecord = {
      ...{
        id: 'forged/1',
        outcome: 'proposed',
        action: 'accept-failed',
        operator: 'ana',
        operators: ['ana'],
      },
      ...{ reason: 'carta del banco, 12 de mayo', bankStatus: null, flags: [], afterNumber: 9 },
      proof: { signature, evidenceNumber, expiresAt, keyFingerprint: KEYS.ana.fingerprint },
    };
    const { proof: _, ...unsigned } = record;
    const write = recordDecision(context);
    expect(await write({ originId, record })).toMatchObject({ recorded: false, refusal: null });
    expect(await write({ originId, record: unsigned })).toMatchObject({ recorded: false });
    expect(await rowsOf(originId)).toEqual([]);

    // Whoever has the journal's login writes two decisions without signatures: the worker ends nothing by them.
    await env.journal.recordDecision(originId, unsigned);
    await env.journal.recordDecision(originId, {
      ...{ ...unsigned, id: 'forged/2', outcome: 'accepted', operator: 'luis', operators: ['ana', 'luis'] },
    });
    const basis = await env.journal.endBasis(originId);
    const last = observationsOf(basis?.records.requests ?? []).at(-1)?.seen;
    const ids = {
      movementId: last?.movementId ?? null,
      network: last?.network ?? null,
      networkId: last?.networkId ?? null,
    };
    const result: TransferResult = {
      ...{ originId, status: 'FAILED', annulmentId: null, ...ids },
      ...{ amount: { currency: '032', value: '1500.25' }, decidedBy: 'operators', reason: record.reason },
      orderSha256: basis?.orderSha256 ?? '',
    };
    const annulled = { result, evidenceNumber: 9, operators: ['ana', 'luis'] };
    const refused = {
      kind: 'refused',
      refusal: { reason: expect.stringContaining('it is not signed') as string },
    };
    expect(await recordAnnulment(context)(annulled)).toMatchObject(refused);
    const notTaken = { ...result, ...NO_IDS, status: 'REFUSED' } as const;
    expect(await recordResult(context)(notTaken)).toMatchObject({
      refusal: { reason: expect.stringContaining('no recorded decision') as string },
    });
    expect(await env.journal.transfer(originId)).toMatchObject({ result: null, annulment: null });
    expect(told.map(({ step }) => step)).toEqual(['record', 'record', 'end', 'end']);
  });
});

const hasKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined;

(hasKeygen ? describe : describe.skip)('by the command, with ssh-keygen (needs openssh-client)', () => {
  const folder = useTemporaryFolder();
  const keygen = (...args: readonly string[]) =>
    spawnSync('ssh-keygen', args, { cwd: folder(), encoding: 'utf8' });

  const REASON = 'carta "17" del banco, año 2026';
  const decide = (originId: number, operator: string, ...more: readonly string[]) =>
    giro(
      [
        ...['transfer', 'decide', String(originId), '--action', 'accept-failed', '--operator', operator],
        ...['--reason', REASON, ...more],
      ],
      { env: { TEMPORAL_ADDRESS: testServers().temporalAddress, GIRO_TASK_QUEUE: environment().taskQueue } },
    );

  function newKey(name: string, operator: string): string {
    expect(keygen('-q', '-t', 'ed25519', '-N', '', '-f', name).status).toBe(0);
    const [type = '', base64 = ''] = readFileSync(join(folder(), `${name}.pub`), 'utf8').split(' ');
    signers = [...signers, ...signersIn(`${operator} ${type} ${base64}`)];
    return join(folder(), name);
  }

  it('one signs at once, the other a line that was printed', async () => {
    const originId = await flagged();
    const [ana, luis] = [newKey('ana', 'ana'), newKey('luis', 'luis')];
    expect(await decide(originId, 'ana')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/signature is missing/) as string,
    });
    expect(await decide(originId, 'ana', '--key', ana)).toMatchObject({ code: 0 });

    const printed = await decide(originId, 'luis', '--print');
    expect(printed.code).toBe(0);
    const line = join(folder(), 'line');
    writeFileSync(line, printed.stdout);
    expect(keygen('-Y', 'sign', '-f', luis, '-n', 'giro-decision', 'line').status).toBe(0);
    const handIn = ['--line', line, '--signature', `${line}.sig`];
    expect(await decide(originId, 'ana', ...handIn)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/the line of --line has another operator/) as string,
    });
    expect(await decide(originId, 'luis', '--line', line)).toMatchObject({ code: 2 });
    const asUpdate = await decide(originId, 'luis', '--print', '--as-update', ...handIn);
    expect(JSON.parse(asUpdate.stdout)).toMatchObject({
      ...{ originId, action: 'accept-failed', operator: 'luis', reason: REASON },
      signature: readFileSync(`${line}.sig`, 'utf8'),
    });
    expect(await decide(originId, 'luis', ...handIn)).toMatchObject({ code: 0 });
    expect(await environment().env.giro.waitForTransfer(originId)).toMatchObject({ status: 'FAILED' });
  });

  it('the JSON that is printed goes into the Temporal UI as it is; a key that is none signs nothing', async () => {
    const originId = await flagged();
    const key = newKey('ana', 'ana');
    const { stdout } = await decide(originId, 'ana', '--print', '--as-update', '--key', key);
    expect(await send(originId, JSON.parse(stdout) as object)).toEqual({ state: 'proposed', by: ['ana'] });
    expect(await decide(originId, 'ana', '--key', `${key}-not-there`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/ssh-keygen made no signature/) as string,
    });
  });
});
