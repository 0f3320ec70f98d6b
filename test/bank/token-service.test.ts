import type { HttpOutcome } from '../../src/bank/http/http-outcome';
import { createTokenService } from '../../src/bank/credentials/token-service';
import type { TokenServiceNotice } from '../../src/bank/credentials/token-service';

const HEAD = { status: 200, contentType: 'application/json', contentEncoding: null, retryAfter: null };
const answer = (body: string, status = 200): HttpOutcome => ({
  kind: 'response',
  head: { ...HEAD, status },
  body: Buffer.from(body),
});
const DOWN: HttpOutcome = {
  kind: 'failed',
  failure: 'CONNECTION_REFUSED',
  maybeWritten: false,
  head: null,
};

/** A service of this process, with a clock that stands until it is moved. */
function service(over: Partial<Parameters<typeof createTokenService>[0]> = {}) {
  const world = {
    nowMs: 0,
    requests: 0,
    notices: [] as TokenServiceNotice[],
    /** Of the next requests; when used up: tokens t1, t2, … that live 100 s. */
    answers: [] as (HttpOutcome | Promise<HttpOutcome>)[],
  };
  const source = createTokenService({
    request: () => {
      world.requests += 1;
      return Promise.resolve(
        world.answers.shift() ?? answer(`{"access_token":"t${world.requests}","expires_in":100}`),
      );
    },
    onNotice: (notice) => world.notices.push(notice),
    nowMs: () => world.nowMs,
    random: () => 0.5,
    tokenPointer: '/access_token',
    expiresPointer: '/expires_in',
    expiresUnit: 's',
    ...over,
  });
  return { ...source, world };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const many = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));

test('one flight for all who wait, and one token until 80 % of its life', async () => {
  const { token, world } = service();
  expect(new Set(await many(50, token))).toEqual(new Set(['t1']));
  world.nowMs = 79_999;
  expect(await token()).toBe('t1');
  expect(world.requests).toBe(1);
});

test('at 80 % it is renewed in the background, and callers get the current one', async () => {
  const { token, world } = service();
  await token();
  world.nowMs = 80_000;
  expect(await many(20, token)).toEqual(Array(20).fill('t1'));
  await settled();
  expect([world.requests, await token()]).toEqual([2, 't2']);
});

test('a service that is down at 80 % stops nobody until the token has run out', async () => {
  const { token, world } = service();
  await token();
  world.answers = [DOWN, DOWN];
  world.nowMs = 80_000;
  expect(await token()).toBe('t1');
  await settled();
  world.nowMs = 99_999;
  expect(await token()).toBe('t1');
  await settled();
  world.nowMs = 110_000;
  expect(await token()).toBe('t4');
  expect(world.notices.map(({ kind }) => kind)).toEqual(['fetched', 'failed', 'failed', 'fetched']);
});

test('the life counts from before the request', async () => {
  let release: (outcome: HttpOutcome) => void = () => undefined;
  const { token, world } = service();
  world.answers = [new Promise((resolve) => (release = resolve))];
  const waiting = token();
  world.nowMs = 30_000;
  release(answer('{"access_token":"slow","expires_in":100}'));
  expect(await waiting).toBe('slow');
  world.nowMs = 100_000;
  expect(await token()).toBe('t2');
});

test('after a failure the service is left alone for a growing time: 1, 2, 4 … 30 s', async () => {
  const { token, world } = service();
  world.answers = Array.from({ length: 8 }, () => DOWN);
  const gaps: number[] = [];
  for (let failures = 0; failures < 8; failures++) {
    await expect(token()).rejects.toThrow('token service');
    await Promise.allSettled(Array.from({ length: 100 }, token));
    expect(world.requests).toBe(failures + 1);
    const notice = world.notices.at(-1)!;
    expect(notice).toMatchObject({ kind: 'failed', failure: 'CONNECTION_REFUSED', httpStatus: null });
    if (notice.kind === 'failed') gaps.push(notice.retryInMs);
    world.nowMs += gaps.at(-1)!;
  }
  expect(gaps).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(await token()).toBe('t9');
  expect(world.notices.at(-1)).toEqual({ kind: 'fetched', lifeMs: 100_000, afterFailure: true });
});

test.each([
  ['an HTTP status', answer('{"access_token":"CANARY"}', 500), 'HTTP_STATUS', 500],
  ['a redirect', answer('', 302), 'HTTP_STATUS', 302],
  ['no JSON', answer('<html>CANARY</html>'), 'UNREADABLE', 200],
  ['nothing', answer(''), 'UNREADABLE', 200],
  ['no token', answer('{"token":"CANARY"}'), 'NO_TOKEN', 200],
  ['a token that is no text', answer('{"access_token":{"v":"CANARY"}}'), 'NO_TOKEN', 200],
  ['an empty token', answer('{"access_token":""}'), 'UNUSABLE_TOKEN', 200],
  ['a token with a line break', answer('{"access_token":"CANARY\\r\\nX: 1"}'), 'UNUSABLE_TOKEN', 200],
  ['a token that is not ASCII', answer('{"access_token":"CANARY\\u00f1"}'), 'UNUSABLE_TOKEN', 200],
  ['a token of 17 KB', answer(`{"access_token":"${'C'.repeat(17_000)}"}`), 'UNUSABLE_TOKEN', 200],
])('garbage, %s: a word and no piece of it', async (_, outcome, failure, httpStatus) => {
  const { token, world } = service();
  world.answers = [outcome];
  const error = await token().then(String, String);
  expect(world.notices).toEqual([{ kind: 'failed', failure, httpStatus, retryInMs: 1_000 }]);
  expect(error + JSON.stringify(world.notices)).not.toContain('CANARY');
});

test('a request that cannot even be made is a failure too', async () => {
  const { token, world } = service({ request: () => Promise.reject(new Error('CANARY')) });
  await expect(token()).rejects.toThrow('token service: NOT_ASKED');
  expect(world.notices).toHaveLength(1);
});

test.each([
  ['"60"', 's', 60_000],
  ['1.5', 's', 1_500],
  ['60000', 'ms', 60_000],
  ['0', 's', null],
  ['-1', 's', null],
  ['null', 's', null],
  ['"2026-01-01T00:00:00Z"', 's', null],
  ['true', 's', null],
  ['1e300', 's', null],
] as const)('a life of %s %s is %j ms; none: until a 401', async (text, expiresUnit, lifeMs) => {
  const { token, world } = service({ expiresUnit });
  world.answers = [answer(`{"access_token":"t","expires_in":${text}}`)];
  await token();
  expect(world.notices).toEqual([{ kind: 'fetched', lifeMs, afterFailure: false }]);
  if (lifeMs !== null) return;
  world.nowMs = 10 * 365 * 86_400_000;
  expect([await token(), world.requests]).toEqual(['t', 1]);
});

test('pointers into an answer of another shape', async () => {
  const { token, world } = service({ tokenPointer: '/data/0/jwt', expiresPointer: '/data/0/ttl' });
  world.answers = [answer('{"data":[{"jwt":"deep token","ttl":5}]}')];
  expect(await token()).toBe('deep token');
  expect(world.notices).toEqual([{ kind: 'fetched', lifeMs: 5_000, afterFailure: false }]);
});

describe('after a 401', () => {
  test('one renewal for all whose token was refused, late ones included', async () => {
    const { token, renew, world } = service();
    await token();
    expect(new Set(await many(50, () => renew('t1')))).toEqual(new Set(['t2']));
    expect(await renew('t1')).toBe('t2');
    expect(world.requests).toBe(2);
  });

  test('a refused token is not used again when no other one can be had: nothing is sent then', async () => {
    const { token, renew, world } = service();
    await token();
    world.answers = [DOWN];
    await expect(renew('t1')).rejects.toThrow();
    await expect(token()).rejects.toThrow();
    world.nowMs += 1_000;
    expect(await token()).toBe('t3');
  });

  test('a bank that refuses every fresh token does not make a flood of requests', async () => {
    const { token, renew, world } = service();
    let current = await token();
    for (world.nowMs = 0; world.nowMs < 60_000; world.nowMs += 100) current = await renew(current);
    expect(world.requests).toBeLessThanOrEqual(8);
    // One that was good for a while starts anew.
    world.nowMs += 75_000;
    expect(await renew(current)).not.toBe(current);
  });

  test.each([2_000, 5_000, 20_000, 30_000])(
    'tokens that the bank takes and drops after %i ms: each 401 is renewed',
    async (lifeMs) => {
      const { token, renew, accepted, world } = service();
      world.answers = Array.from({ length: 200 }, (_, i) => answer(`{"access_token":"short-${i}"}`));
      let [bornAtMs, renewals] = [0, 0];
      let last = await token();
      for (; world.nowMs < 120_000; world.nowMs += 500) {
        let current = await token();
        if (world.nowMs - bornAtMs >= lifeMs) {
          current = await renew(current);
          expect(current).not.toBe(last);
          [bornAtMs, renewals] = [world.nowMs, renewals + 1];
        }
        accepted?.(current);
        last = current;
      }
      expect(renewals).toBeGreaterThanOrEqual(120_000 / lifeMs - 1);
    },
  );

  test('one that the bank takes for one service and refuses for another is not fetched in a flood', async () => {
    const { token, renew, accepted, world } = service();
    for (; world.nowMs < 60_000; world.nowMs += 50) {
      accepted?.(await token());
      await renew(await token());
    }
    // As often as the pause of a second allows.
    expect(world.requests).toBeLessThanOrEqual(62);
  });

  test('refused during an early renewal: it is not used again if that fails', async () => {
    const { token, renew, world } = service();
    await token();
    let fail: () => void = () => undefined;
    world.answers = [new Promise((resolve) => (fail = () => resolve(DOWN)))];
    world.nowMs = 85_000;
    expect(await token()).toBe('t1');
    const renewed = renew('t1').catch(() => 'none');
    fail();
    expect(await renewed).toBe('none');
    await expect(token()).rejects.toThrow('left alone');
  });
});
