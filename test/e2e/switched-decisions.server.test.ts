import { stateOf, until } from '../../dev/giro-environment';
import { readAllowedSigners } from '../../src/decisions/allowed-signers';
import { makeKey } from '../../dev/made-ssh-keys';
import type { MadeKey } from '../../dev/made-ssh-keys';
import { quietRuntime } from '../support/quiet-runtime';
import { untilAnswered } from '../support/until-answered';
import { auditRequests } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { sendDecision } from './send-decision';

/**
 * A held transfer of which nothing was ever sent makes no request, and so receives no changed setting. Its operators
 * still decide by the workers' current settings.
 */

quietRuntime({ core: 'ERROR' });

const environment = useEnvironment({ settings: { pollActiveMs: 300, pollDelayedMs: 300 } });

const KEYS: Readonly<Record<'ana' | 'luis', MadeKey>> = { ana: makeKey(), luis: makeKey() };
const read = readAllowedSigners(
  Object.entries(KEYS)
    .map(([name, { type, base64 }]) => `${name} ${type} ${base64}`)
    .join('\n'),
);
const SIGNERS = read.ok ? read.signers : [];

/** All workers are replaced by one with or without `DECIDERS_FILE`, whose limits forbid what waits to be sent. */
async function workersAre(decisions: 'signed' | 'not signed'): Promise<void> {
  const { env, worker } = environment();
  await worker.stop();
  environment().worker = await env.startWorker({
    change: (parts) => ({
      ...parts,
      orderLimits: { ...parts.orderLimits, amountMax: '1.00' },
      ...(decisions === 'not signed'
        ? {}
        : {
            settings: { ...parts.settings, signsDecisions: true },
            decisionSigners: { namespace: 'default', current: () => SIGNERS },
          }),
    }),
  });
}

const setSending = (stopped: boolean) =>
  environment().env.journal.setSending({ stopped, operator: 'ana', reason: 'for the test' });

/** Received by a worker without limits, and held by one that has them. */
async function heldUnsent(decisions: 'signed' | 'not signed'): Promise<number> {
  const { env, worker } = environment();
  await worker.stop();
  environment().worker = await env.startWorker();
  const originId = nextOriginId();
  await setSending(true);
  await env.giro.startTransfer(orderOf(originId, 'waits'));
  await until(
    () => stateOf(env, originId),
    ({ phase }) => phase === 'sending',
  );
  await workersAre(decisions);
  await setSending(false);
  await env.transfer(originId).signal('movementHint', { source: 'test', eventId: '1' });
  await until(
    () => stateOf(env, originId),
    ({ attentionReasons, sends }) => attentionReasons.includes('ORDER_TAMPERED') && sends === 0,
  );
  return originId;
}

const END = { action: 'accept-not-taken', reason: 'nobody wants it' } as const;
type Operator = keyof typeof KEYS;

const decide = (originId: number, decision: object) =>
  sendDecision(environment().env.transfer(originId), decision);

const unsigned = (originId: number, operator: Operator) => decide(originId, { ...END, operator });

async function signed(originId: number, operator: Operator) {
  const { giro } = environment().env;
  const { line, decision } = await untilAnswered(() =>
    giro.decisionToSign(originId, { ...END, operator }, { lifeMs: 1_800_000 }),
  );
  return decide(originId, { ...decision, signature: KEYS[operator].sign(line) });
}

const refusal = (rule: RegExp) => ({
  cause: { type: 'DecisionRefused', message: expect.stringMatching(rule) as string },
});

async function expectEnded(originId: number, isSigned: boolean): Promise<void> {
  const { env } = environment();
  expect(await env.giro.waitForTransfer(originId)).toMatchObject({
    ...{ status: 'REFUSED', decidedBy: 'operators' },
  });
  const kept = await env.journal.keptDecisions(originId);
  expect(kept?.decisions.map(({ signature }) => signature !== null)).toEqual([isSigned, isSigned]);
  expect(auditRequests(env, originId)).toEqual([]);
}

it('DECIDERS_FILE is taken away: two operators end it without signatures', async () => {
  const originId = await heldUnsent('signed');
  await expect(unsigned(originId, 'ana')).rejects.toMatchObject(refusal(/signature is missing/));
  await workersAre('not signed');
  await expect(signed(originId, 'ana')).rejects.toMatchObject(refusal(/signature is not asked for/));
  expect(await unsigned(originId, 'ana')).toMatchObject({ state: 'proposed' });
  expect(await unsigned(originId, 'luis')).toMatchObject({ state: 'accepted' });
  await expectEnded(originId, false);
});

it('DECIDERS_FILE comes: unsigned decisions are refused, signed ones end it', async () => {
  const originId = await heldUnsent('not signed');
  await workersAre('signed');
  await expect(unsigned(originId, 'ana')).rejects.toMatchObject(refusal(/signature is missing/));
  expect(await signed(originId, 'ana')).toMatchObject({ state: 'proposed' });
  expect(await signed(originId, 'luis')).toMatchObject({ state: 'accepted' });
  await expectEnded(originId, true);
});
