import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import { ourBank } from '../../src/bank/our-bank';
import { bodyFingerprint, orderFingerprint } from '../../src/domain/order-fingerprint';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** A held transfer is asked once a minute: its last not-found stays young while a test decides. */
const environment = useEnvironment({
  settings: { pollActiveMs: 300, pollDelayedMs: 60_000 },
  rules: [{ query: [{ fault: 'not-found', times: 'always' }] }],
});

/**
 * A transfer whose only send was that many hours ago and brought no answer, and whose run was lost. Time that is
 * skipped would make each not-found as old as the wait after it.
 */
async function sentHoursAgo(hours: number): Promise<number> {
  const { env, databaseUrl } = environment();
  const originId = nextOriginId();
  const order = orderOf(originId, 'never taken');
  const orderSha256 = orderFingerprint(order);
  await env.journal.openTransfer({
    order,
    orderSha256,
    bodySha256: bodyFingerprint(ourBank.movements.createBody(order)),
  });
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  try {
    await sql.query(
      `insert into giro.request (origin_id, number, kind, run_id, claimed_at)
       values ($1, 1, 'create', 'lost', clock_timestamp() - make_interval(secs => $2))`,
      [originId, hours * 3_600],
    );
  } finally {
    await sql.end();
  }
  await env.giro.startTransfer(order);
  await until(
    () => stateOf(env, originId),
    ({ attentionReasons }) => attentionReasons.includes('OUTCOME_UNKNOWN'),
  );
  return originId;
}

const decide = (originId: number, operator: string) =>
  environment().env.giro.decide(originId, {
    ...{ action: 'accept-not-taken', operator, reason: 'the bank never had it' },
  });

it.concurrent('a day after the last send two operators accept that it was not taken: REFUSED', async () => {
  const { env } = environment();
  const originId = await sentHoursAgo(24.1);
  expect(await decide(originId, 'ana')).toEqual({ state: 'proposed', by: ['ana'] });
  expect(await decide(originId, 'luis')).toEqual({ state: 'accepted', by: ['ana', 'luis'] });
  expect(await env.giro.waitForTransfer(originId)).toMatchObject({
    status: 'REFUSED',
    decidedBy: 'operators',
    movementId: null,
    annulmentId: null,
    reason: 'the bank never had it',
  });
  expect(env.bank.book.movements()).toEqual([]);
});

it.concurrent('before that it is refused, and the view shows from when it may be', async () => {
  const originId = await sentHoursAgo(23.9);
  await expect(decide(originId, 'ana')).rejects.toThrow(/24 h have not passed since the last send/);
  const { mayDecide, history } = await stateOf(environment().env, originId);
  const open = mayDecide.find(({ action }) => action === 'accept-not-taken');
  expect(Date.parse(open?.from ?? '')).toBeGreaterThan(Date.now());
  expect(open?.until).toBeNull();
  expect(history).toEqual([]);
  await environment().env.transfer(originId).terminate('the test is over');
});
