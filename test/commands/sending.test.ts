import { Client, Connection } from '@temporalio/client';
import { GRPC } from '../../src/client/engine-errors';
import { giro, NO_SERVERS } from './support/memory-io';

/** `sending go` with many waiting transfers; journal and Temporal are stubs. */

const WAITING = Array.from({ length: 2_345 }, (_, i) => 10 * (i + 1));

const journal = {
  countUnsent: () => Promise.resolve(WAITING.length),
  unsentTransfers: ({ after, limit }: { after: number | null; limit: number }) =>
    Promise.resolve(WAITING.filter((originId) => originId > (after ?? 0)).slice(0, limit)),
  setSending: ({ stopped, ...rest }: { stopped: boolean }) =>
    Promise.resolve({ stopped, since: '2026-01-05T10:00:00.000Z', ...rest }),
};

const refused = (code: number) => Object.assign(new Error('refused'), { code, details: '', metadata: {} });

/** Runs `sending go` with a Temporal that refuses some signals. */
async function go(refusal: (originId: number) => number | null, stderrIsTerminal = false) {
  const hinted: number[] = [];
  const atOnce = { now: 0, max: 0 };
  const signal = async ({
    workflowExecution: { workflowId },
  }: {
    workflowExecution: { workflowId?: string };
  }) => {
    const originId = Number(workflowId?.replace('transfer-', ''));
    hinted.push(originId);
    atOnce.max = Math.max(atOnce.max, ++atOnce.now);
    await new Promise(setImmediate);
    atOnce.now -= 1;
    const code = refusal(originId);
    if (code !== null) throw refused(code);
  };
  const temporal = {
    client: new Client({
      connection: Connection.lazy({ address: '127.0.0.1:1' }),
      interceptors: { workflow: [{ signal }] },
    }),
    config: { taskQueue: 'giro' },
  };
  const end = await giro(['sending', 'go', '--reason', 'over'], {
    ...{ env: NO_SERVERS, stderrIsTerminal },
    overrides: { journal, temporal } as never,
  });
  return { ...end, hinted, atOnceMax: atOnce.max };
}

const NOT_ALL = 'not all transfers could be notified: they check the brake again within five minutes';

test('every waiting transfer gets one hint, a bounded number at a time', async () => {
  const { code, stdout, stderr, hinted, atOnceMax } = await go(() => null);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`open transfers not sent yet: ${WAITING.length}`);
  expect(hinted.toSorted((a, b) => a - b)).toEqual(WAITING);
  expect(atOnceMax).toBe(20);
});

test('the progress is shown', async () => {
  expect((await go(() => null, true)).stderr).toContain(`notifying: 2345 of about 2345 (2345 notified)`);
});

test('a transfer without an open run needs no hint', async () => {
  const { code, stderr, log, hinted } = await go((originId) => (originId === 20 ? GRPC.NOT_FOUND : null));
  expect([code, stderr]).toEqual([0, '']);
  expect(log.at(-1)).toMatchObject({ msg: 'notifying', notified: 2_344, 'without a run': 1 });
  expect(hinted).toHaveLength(WAITING.length);
});

test('failed hints do not stop the others, and are reported at the end', async () => {
  const { code, stderr, hinted } = await go((originId) => (originId % 100 === 0 ? GRPC.UNAVAILABLE : null));
  expect(code).toBe(0);
  expect(hinted).toHaveLength(WAITING.length);
  expect(stderr).toMatch(new RegExp(`^giro: Temporal at .*\n${NOT_ALL}\n$`));
});

test('Temporal is lost: after a few hundred hints it gives up', async () => {
  const { code, stderr, hinted } = await go((originId) => (originId > 5_000 ? GRPC.UNAVAILABLE : null));
  expect(code).toBe(0);
  expect(hinted.length).toBeLessThan(1_000);
  expect(stderr).toContain(NOT_ALL);
});
