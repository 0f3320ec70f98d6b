import { createLogger } from '../../src/telemetry/logger';
import { watchOutage } from '../../src/telemetry/outage-watch';

function start({ idleMs = 10, calmMs = 0 } = {}) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    level: 'error',
    destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const server = { reachable: true, probes: 0 };
  const probe = () => {
    server.probes += 1;
    return server.reachable ? Promise.resolve() : Promise.reject(new Error('connection refused'));
  };
  const watch = watchOutage({
    server: 'the journal',
    meanwhile: 'nothing',
    probe,
    logger,
    idleMs,
    awayMs: 5,
    calmMs,
  });
  return { watch, server, lines };
}

async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 2));
}

test('an outage that only the probe notices is logged once, and its end once', async () => {
  const { watch, server, lines } = start();
  await until(() => server.probes >= 3);
  expect(lines).toEqual([]);
  server.reachable = false;
  await until(watch.isAway);
  const probes = server.probes;
  await until(() => server.probes >= probes + 3);
  server.reachable = true;
  await until(() => !watch.isAway());
  await watch.close();
  expect(lines).toMatchObject([
    { level: 'error', server: 'the journal', reason: 'connection refused' },
    { level: 'error', server: 'the journal', outageMs: expect.any(Number) },
  ]);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the journal cannot be reached: nothing',
    'the journal can be reached again',
  ]);
});

test('calls that fail are one outage, begun by the first and ended by the first that is answered', async () => {
  const { watch, lines } = start({ idleMs: 60_000 });
  for (const reason of ['one', 'two', 'three']) watch.failed(reason);
  expect(watch.isAway()).toBe(true);
  watch.answered();
  watch.answered();
  await watch.close();
  expect(watch.isAway()).toBe(false);
  expect(lines.map(({ reason }) => reason)).toEqual(['one', undefined]);
});

test('while some calls still fail, one that is answered ends nothing', async () => {
  const { watch, lines } = start({ calmMs: 100 });
  watch.failed('no connection left');
  watch.answered();
  watch.failed('no connection left');
  watch.answered();
  expect(watch.isAway()).toBe(true);
  await until(() => !watch.isAway());
  await watch.close();
  expect(lines).toHaveLength(2);
});

test('a server that answers those who use it is not probed', async () => {
  // The watch reads this clock, so a stalled machine does not look like a silent server.
  let nowMs = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const look = async (): Promise<void> => {
    const looks = clock.mock.calls.length;
    await until(() => clock.mock.calls.length > looks);
  };
  const { watch, server } = start({ idleMs: 10 });
  try {
    for (let answers = 1; answers <= 20; answers += 1) {
      nowMs += 9;
      await look();
      watch.answered();
    }
    expect(server.probes).toBe(0);
    nowMs += 10;
    await until(() => server.probes > 0);
  } finally {
    clock.mockRestore();
    await watch.close();
  }
});
