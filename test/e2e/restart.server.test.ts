import { TransferNotFoundError } from '../../src/client';
import { stateOf, until } from '../../dev/giro-environment';
import { auditRequests, creates } from './audit';
import { claimedNumbers } from './claimed-requests';
import { nextOriginId, orderOf, useEnvironment } from './environment';
import { holdClaims } from './held-claims';

const POLL_ACTIVE_MS = 5_000;
const POLL_DELAYED_MS = 630_000;
const HINTS = 50;
/** Longer than the pause between two hints, so that several arrive during a look-up. */
const LOOKUP_MS = 1_500;

const environment = useEnvironment({
  rules: [
    {
      match: { description: 'delayed' },
      states: ['CREATED', ...Array<string>(5).fill('DELAYED'), 'COMPLETED'],
    },
    {
      match: { description: 'unclear' },
      create: ['lost-answer'],
      query: [{ fault: 'not-found', times: 6 }],
      states: ['CREATED', 'COMPLETED'],
    },
    {
      match: { description: 'slow look-ups' },
      states: ['CREATED', 'IN_PROGRESS'],
      query: [{ fault: 'slow', delayMs: LOOKUP_MS, times: 'always' }],
    },
  ],
});

describe('a worker that is stopped while transfers are open, and another one', () => {
  it('keeps each gap, sends nothing twice and ends both rightly', async () => {
    const { env, databaseUrl } = environment();
    // The third look-up waits until the worker is told to stop: however slow the machine, both are then open.
    let tellStopping: () => void = () => undefined;
    const isStopping = new Promise<void>((resolve) => {
      tellStopping = resolve;
    });
    await environment().worker.stop();
    const worker = await env.startWorker({ change: holdClaims(4, isStopping) });
    const [delayed, unclear] = [nextOriginId(), nextOriginId()];
    try {
      await Promise.all([
        env.skipping.startTransfer(orderOf(delayed, 'delayed')),
        env.skipping.startTransfer(orderOf(unclear, 'unclear')),
      ]);
      await Promise.all([
        until(
          () => stateOf(env, delayed),
          ({ bankStatus }) => bankStatus === 'DELAYED',
        ),
        until(
          () => stateOf(env, unclear),
          ({ phase, polls }) => phase === 'looking-up' && polls > 0,
        ),
      ]);
    } finally {
      // Whatever failed: a held step would keep the worker.
      const stopping = worker.stop();
      tellStopping();
      await stopping;
    }
    expect(env.bank.book.movements().find((it) => it.originId === String(delayed))?.status).toBe('DELAYED');
    expect((await env.journal.transfer(delayed))?.result).toBeNull();
    expect(await env.journal.transfer(unclear)).toMatchObject({ result: null, bankStatus: null });
    environment().worker = await env.startWorker();

    for (const originId of [delayed, unclear]) {
      expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
        status: 'COMPLETED',
      });
      const requests = auditRequests(env, originId);
      expect(creates(requests)).toHaveLength(1);
      expect(requests).toHaveLength((await claimedNumbers(databaseUrl, originId)).length);
      for (const { gapMs, after } of requests.slice(1)) {
        expect(gapMs).toBeGreaterThanOrEqual(after === 'DELAYED' ? POLL_DELAYED_MS : POLL_ACTIVE_MS);
      }
    }
    expect(auditRequests(env, delayed)).toHaveLength(7);
    // Six times not found, then the movement as it was created, then its end.
    expect(auditRequests(env, unclear)).toHaveLength(1 + 6 + 1);
  });
});

describe(`a storm of ${HINTS} hints`, () => {
  it('breaks no gap and no request number is used twice', async () => {
    const { env, databaseUrl } = environment();
    const originId = nextOriginId();
    await env.giro.startTransfer(orderOf(originId, 'slow look-ups'));
    await until(
      () => stateOf(env, originId),
      ({ bankStatus }) => bankStatus === 'CREATED',
    );
    // A round in the last wait, and one during each look-up: a signal then repeats the local step.
    let sent = 0;
    const hint = async () => {
      sent += 1;
      await env.giro.hintTransfer(originId, { source: 'storm', eventId: String(sent) });
    };
    const bankHas = (count: number) =>
      until(
        () => Promise.resolve(env.bank.book.requests(String(originId)).length),
        (length) => length >= count,
      );
    for (let i = 0; i < 20; i += 1) await hint();
    await bankHas(2);
    for (let i = 0; i < 15; i += 1) await hint();
    env.bank.book.restate(String(originId), ['COMPLETED']);
    await bankHas(3);
    // The run may end under the last ones.
    const refusals: unknown[] = [];
    await Promise.all(
      Array.from({ length: HINTS - 35 }, () => hint().catch((error: unknown) => refusals.push(error))),
    );
    expect(sent).toBe(HINTS);
    expect(refusals.filter((error) => !(error instanceof TransferNotFoundError))).toEqual([]);

    expect(await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
      status: 'COMPLETED',
    });
    const records = env.bank.book.requests(String(originId));
    for (const [i, { at }] of records.slice(1).entries()) {
      const gapMs = Date.parse(at) - Date.parse(records[i]!.finishedAt!);
      expect(gapMs).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
    }
    const claims = await claimedNumbers(databaseUrl, originId);
    expect(claims.map(({ number }) => number)).toEqual(claims.map((_, i) => i + 1));
    expect(records.length).toBeLessThanOrEqual(claims.length);
    expect(claims.filter(({ kind }) => kind === 'create')).toHaveLength(1);
    expect(creates(auditRequests(env, originId))).toHaveLength(1);
  });
});
