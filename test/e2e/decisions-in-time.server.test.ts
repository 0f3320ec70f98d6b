import { stateOf, until } from '../../dev/giro-environment';
import { nextOriginId, orderOf, useEnvironment } from './environment';

const HOUR_MS = 3_600_000;

/** Held transfers are asked every 6 h, and no send is repeated: a day passes in a few skipped waits. */
const environment = useEnvironment({
  settings: { pollDelayedMs: 6 * HOUR_MS, resendWindowMs: 1 },
  rules: [{ create: ['reset'], query: [{ fault: 'not-found', times: 'always' }] }],
});

it('not taken is accepted a day after the last send, not before: REFUSED, nothing annulled', async () => {
  const { env } = environment();
  const originId = nextOriginId();
  const decide = (operator: string) =>
    env.giro.decide(originId, { action: 'accept-not-taken', operator, reason: 'the bank never had it' });
  await env.skipping.startTransfer(orderOf(originId, 'never taken'));
  const early = await until(
    () => stateOf(env, originId),
    ({ attentionReasons }) => attentionReasons.includes('OUTCOME_UNKNOWN'),
    60_000,
  );
  const open = early.mayDecide.find(({ action }) => action === 'accept-not-taken');
  expect(early.mayDecide.map(({ action }) => action)).not.toContain('accept-failed');
  await expect(decide('ana')).rejects.toThrow(/24 h after the last send are not over/);
  await until(
    () => stateOf(env, originId),
    ({ lastPolledAt }) => Date.parse(lastPolledAt ?? '') > Date.parse(open?.from ?? ''),
    60_000,
  );
  // In skipped time a not-found is six hours old a moment after it came: refused until the next one.
  const inTime = (operator: string) =>
    until(
      () => decide(operator),
      () => true,
      60_000,
    );
  expect(await inTime('ana')).toEqual({ state: 'proposed', by: ['ana'] });
  expect(await inTime('luis')).toEqual({ state: 'accepted', by: ['ana', 'luis'] });
  expect(await env.giro.waitForTransfer(originId)).toMatchObject({
    status: 'REFUSED',
    decidedBy: 'operators',
    movementId: null,
    annulmentId: null,
    reason: 'the bank never had it',
  });
  expect(env.bank.book.movements()).toEqual([]);
}, 120_000);
