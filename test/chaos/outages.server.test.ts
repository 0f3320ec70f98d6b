import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { until } from '../../dev/giro-environment';
import { arrivals, createsOf, expectSoundBooks } from './books';
import type { OutageEnvironment } from './outage-environment';
import { startOutageEnvironment } from './outage-environment';
import { inEveryPhase } from './outage-phases';
import { PHASES } from './outage-scenarios';
import type { Phase } from './outage-scenarios';

/**
 * How long a server is stopped before it starts again with its data; longer than the bank holds a request. For minutes,
 * set GIRO_OUTAGE_MS.
 */
const OUTAGE_MS = Number(process.env['GIRO_OUTAGE_MS'] ?? 11_000);
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

/** How many requests of each transfer were claimed before this time, by originId. */
async function claimedBefore(databaseUrl: string, ms: number): Promise<ReadonlyMap<number, number>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; claims: number }>(
      `select origin_id as id, count(*)::integer as claims from giro.request
       where claimed_at < to_timestamp($1::float8 / 1000) group by origin_id`,
      [ms],
    );
    return new Map(rows.map(({ id, claims }) => [Number(id), claims]));
  } finally {
    await client.end();
  }
}

describe.each(Object.keys(SERVERS) as (keyof typeof SERVERS)[])('%s away', (name) => {
  const { of, inLog, ready } = SERVERS[name];
  let outage: OutageEnvironment;
  let started: OutageEnvironment | null = null;
  let ids: ReadonlyMap<Phase, readonly number[]>;
  /** From `struckMs` on the server is being stopped; it is away from `haltedMs` until `backMs`. */
  const times = { struckMs: 0, haltedMs: 0, backMs: 0 };
  const all = () => [...ids.values()].flat();
  const told = () =>
    outage.worker
      .log()
      .filter(({ server }) => typeof server === 'string' && server.startsWith(inLog))
      .map((line) => ({ atMs: Date.parse(String(line['time'])), isEnd: 'outageMs' in line, ...line }));

  beforeAll(async () => {
    started = outage = await startOutageEnvironment();
    ids = await inEveryPhase(outage, EACH, async (release) => {
      times.struckMs = Date.now();
      await of(outage).halt();
      times.haltedMs = Date.now();
      if (name === 'Temporal') await release();
      await until(outage.readiness, ({ status }) => status === 503);
      await sleep(Math.max(0, times.haltedMs + OUTAGE_MS - Date.now()));
      // On a busy machine the other server may seem away for a moment.
      await until(outage.readiness, ({ status, text }) => status === 503 && ready.test(text));
      times.backMs = Date.now();
      await of(outage).resume();
    });
  }, 600_000 + OUTAGE_MS);
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

  it('met requests in the air, and no transfer went on while it was away', async () => {
    const inTheAirAt = (ms: number) =>
      all().filter((originId) =>
        arrivals(outage, originId).some(
          ({ at, finishedAt }) => Date.parse(at) < ms && Date.parse(finishedAt ?? '') > ms,
        ),
      );
    expect(inTheAirAt(times.struckMs).length).toBeGreaterThanOrEqual(2 * EACH);
    const arrivedMs = (originId: number) => arrivals(outage, originId).map(({ at }) => Date.parse(at));
    const arrivedBefore = (originId: number, ms: number) =>
      arrivedMs(originId).filter((arrived) => arrived < ms).length;
    const during = (originId: number) =>
      arrivedBefore(originId, times.backMs) - arrivedBefore(originId, times.haltedMs);
    // A step that had begun may still make its request. The next step needs the server.
    expect(all().filter((originId) => during(originId) > 1)).toEqual([]);
    // A transfer with a request in the air makes no other request, unless the same step had begun twice.
    const claimedBeforeHalt = await claimedBefore(outage.databaseUrl, times.haltedMs);
    const begun = (originId: number) =>
      (claimedBeforeHalt.get(originId) ?? 0) - arrivedBefore(originId, times.haltedMs);
    expect(inTheAirAt(times.haltedMs).filter((originId) => during(originId) > begun(originId))).toEqual([]);
    // Each request had its claim. While the journal is away, such a claim was made before.
    const claimed = await claimedBefore(outage.databaseUrl, times.backMs);
    expect(
      all().filter((originId) => arrivedBefore(originId, times.backMs) > (claimed.get(originId) ?? 0)),
    ).toEqual([]);
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
