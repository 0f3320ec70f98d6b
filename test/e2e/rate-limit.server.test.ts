import { busiestSecond } from '../../bench/samples';
import { claimedNumbers } from './claimed-requests';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** One worker, five calls a second, and far more to do at once. */
const MAX_RPS = 5;
const TRANSFERS = 16;
const POLL_ACTIVE_MS = 1_000;
/** Calls that a busy machine may deliver together, beside the burst of one. */
const BUNCHED = 2;

const environment = useEnvironment({
  maxRps: MAX_RPS,
  settings: { pollActiveMs: POLL_ACTIVE_MS },
  rules: [{ match: { description: 'limited' }, states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'] }],
});

it('more than the limit allows: all end, none too often, none too early, nothing claimed in vain', async () => {
  const { env, databaseUrl } = environment();
  const originIds = Array.from({ length: TRANSFERS }, () => nextOriginId());
  await Promise.all(originIds.map((originId) => env.giro.startTransfer(orderOf(originId, 'limited'))));
  const results = await Promise.all(originIds.map((originId) => env.giro.waitForTransfer(originId)));
  expect(results.map(({ status }) => status)).toEqual(originIds.map(() => 'COMPLETED'));

  const texts = await Promise.all(
    originIds.map(async (originId) => JSON.stringify(await decodedResults(originId))),
  );
  const arrivals: number[] = [];
  for (const [index, originId] of originIds.entries()) {
    const records = env.bank.book.requests(String(originId));
    const claimed = await claimedNumbers(databaseUrl, originId);
    // On a busy machine a step may be repeated: its number is claimed, and no request may have left under it.
    const unanswered = texts[index]!.match(/"kind":"(no-answer|unknown)"/g)?.length ?? 0;
    expect(claimed.length).toBeGreaterThanOrEqual(records.length);
    expect(claimed.length - unanswered).toBeLessThanOrEqual(records.length);
    for (const [i, { at }] of records.entries()) {
      arrivals.push(Date.parse(at));
      const before = records[i - 1]?.finishedAt;
      if (before != null) expect(Date.parse(at) - Date.parse(before)).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
    }
  }
  expect(arrivals).toHaveLength(3 * TRANSFERS);
  expect(busiestSecond(arrivals)).toBeLessThanOrEqual(MAX_RPS + 1 + BUNCHED);

  // Those that would have waited over a second slept in a durable timer.
  const deferred = texts.filter((text) => text.includes('"kind":"deferred"'));
  expect(deferred.length).toBeGreaterThan(0);
});

/** The results of a transfer's activities, as the history holds them. */
async function decodedResults(originId: number): Promise<unknown[]> {
  const { events } = await environment().env.transfer(originId).fetchHistory();
  return (events ?? []).flatMap((event) => {
    const { result } = event.activityTaskCompletedEventAttributes ?? {};
    const details = event.markerRecordedEventAttributes?.details ?? {};
    return [...(result?.payloads ?? []), ...Object.values(details).flatMap((it) => it.payloads ?? [])].map(
      ({ data }): unknown => JSON.parse(Buffer.from(data ?? []).toString('utf8') || 'null'),
    );
  });
}
