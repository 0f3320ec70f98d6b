import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../dev/giro-environment';
import { arrivals, createsOf, expectSoundBooks } from './books';
import type { OutageEnvironment } from './outage-environment';
import { startOutageEnvironment } from './outage-environment';
import { inEveryPhase } from './outage-phases';
import { PHASES } from './outage-scenarios';
import type { Phase } from './outage-scenarios';

/** How long a server is stopped before it starts again with its data. For minutes, set GIRO_OUTAGE_MS. */
const OUTAGE_MS = Number(process.env['GIRO_OUTAGE_MS'] ?? 5_000);
/** By this time after the server's end, every request that was claimed before has left. */
const SETTLED_MS = 1_500;
const EACH = 2;

const SERVERS = {
  PostgreSQL: {
    of: ({ postgres }: OutageEnvironment) => postgres,
    inLog: 'the journal',
    ready:
      /^not ready: the journal cannot be reached\ntemporal: reachable\njournal: unreachable\nbank: .+\n$/,
  },
  Temporal: {
    of: ({ temporal }: OutageEnvironment) => temporal,
    inLog: 'Temporal at',
    ready: /^not ready: Temporal cannot be reached\ntemporal: unreachable\njournal: reachable\nbank: .+\n$/,
  },
} as const;

describe.each(Object.keys(SERVERS) as (keyof typeof SERVERS)[])('%s away', (name) => {
  const { of, inLog, ready } = SERVERS[name];
  let outage: OutageEnvironment;
  let started: OutageEnvironment | null = null;
  let ids: ReadonlyMap<Phase, readonly number[]>;
  const times = { haltedMs: 0, backMs: 0 };
  const all = () => [...ids.values()].flat();
  const told = () =>
    outage.worker
      .log()
      .filter(({ server }) => typeof server === 'string' && server.startsWith(inLog))
      .map((line) => ({ atMs: Date.parse(String(line['time'])), isEnd: 'outageMs' in line, ...line }));

  beforeAll(async () => {
    started = outage = await startOutageEnvironment();
    ids = await inEveryPhase(outage, EACH, async (release) => {
      await of(outage).halt();
      times.haltedMs = Date.now();
      if (name === 'Temporal') await release();
      await until(outage.readiness, ({ status }) => status === 503, 60_000);
      await sleep(Math.max(0, times.haltedMs + OUTAGE_MS - Date.now()));
      expect(await outage.readiness()).toEqual({ status: 503, text: expect.stringMatching(ready) });
      times.backMs = Date.now();
      await of(outage).resume();
    });
  }, 120_000 + OUTAGE_MS);
  afterAll(() => started?.close());

  it.each(PHASES)(
    '$phase: ends $status, nothing lost and nothing sent without its claim',
    async ({ phase, status }) => {
      for (const originId of ids.get(phase) ?? []) {
        expect(await outage.env.giro.waitForTransfer(originId, { timeoutMs: 300_000 })).toMatchObject({
          status,
        });
        await expectSoundBooks(outage, originId, status);
        expect(createsOf(arrivals(outage, originId))).toHaveLength(1);
      }
    },
  );

  it('met requests in the air, and none began while it was away', () => {
    const inTheAir = all().filter((originId) =>
      arrivals(outage, originId).some(
        ({ at, finishedAt }) =>
          Date.parse(at) < times.haltedMs && Date.parse(finishedAt ?? '') > times.haltedMs,
      ),
    );
    expect(inTheAir.length).toBeGreaterThanOrEqual(2 * EACH);
    const begun = all().flatMap((originId) =>
      arrivals(outage, originId).filter(
        ({ at }) => Date.parse(at) > times.haltedMs + SETTLED_MS && Date.parse(at) < times.backMs,
      ),
    );
    expect(begun).toEqual([]);
  });

  it('its start and end are logged by a worker that goes on', async () => {
    await until(outage.readiness, ({ status }) => status === 200);
    const during = told().filter(({ atMs }) => atMs >= times.haltedMs && atMs < times.backMs);
    expect(during.filter(({ isEnd }) => isEnd)).toEqual([]);
    expect(during.length).toBeLessThanOrEqual(1);
    const last = told().slice(-2);
    expect(last.map(({ isEnd }) => isEnd)).toEqual([false, true]);
    expect(last[0]).toMatchObject({ level: 'error', reason: expect.any(String) });
    expect(() => process.kill(outage.worker.pid, 0)).not.toThrow();
    // The failed steps, hundreds in a long outage, are not logged one by one.
    const failed = outage.worker.log().filter(({ msg }) => msg === 'Activity failed');
    expect(failed.filter(({ error }) => JSON.stringify(error).includes('JournalUnavailable'))).toEqual([]);
    expect(await outage.worker.stop()).toBe(0);
  });
});
