import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import { nextOriginId, orderOf } from '../e2e/environment';
import { arrivals } from './books';
import type { OutageEnvironment } from './outage-environment';
import { PHASES } from './outage-scenarios';
import type { Phase } from './outage-scenarios';

/** On a busy machine some transfers may have left their phase before the last one comes to its phase. */
const ATTEMPTS_MAX = 5;
/** By then, the bank has long answered the requests that it held. */
const ALL_AT_ONCE_MS = 20_000;

class NotAllAtOnce extends Error {}

/**
 * Brings `each` transfers into every phase, and calls `strike` while all of them are in their phases. Locks keep some
 * transfers in their phase; `release` ends the locks, and so does an outage of the server. Throws when a phase cannot
 * be reached.
 */
export async function inEveryPhase(
  ...given: Parameters<typeof tryInEveryPhase>
): ReturnType<typeof tryInEveryPhase> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryInEveryPhase(...given);
    } catch (error) {
      if (!(error instanceof NotAllAtOnce) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

async function tryInEveryPhase(
  outage: OutageEnvironment,
  each: number,
  strike: (release: () => Promise<void>) => Promise<void>,
): Promise<ReadonlyMap<Phase, readonly number[]>> {
  const { env, databaseUrl } = outage;
  const ids = new Map<Phase, readonly number[]>();
  const start = async (phase: Phase): Promise<readonly number[]> => {
    const originIds = Array.from({ length: each }, nextOriginId);
    ids.set(phase, originIds);
    await Promise.all(originIds.map((originId) => env.giro.startTransfer(orderOf(originId, phase))));
    return originIds;
  };
  const all = (phase: Phase, isThere: (originId: number) => Promise<boolean>) =>
    until(
      async () => (await Promise.all((ids.get(phase) ?? []).map(isThere))).every(Boolean),
      (every) => every,
      ALL_AT_ONCE_MS,
    ).catch((error: unknown) => {
      throw new NotAllAtOnce(`not every transfer came to "${phase}"`, { cause: error });
    });
  const isIn = (phase: string) => async (originId: number) => (await stateOf(env, originId)).phase === phase;
  const lastArrival = (originId: number) => arrivals(outage, originId).at(-1);
  const isInFlight = (service: string) => (originId: number) => {
    const last = lastArrival(originId);
    return Promise.resolve(last?.service === service && last.finishedAt === null);
  };
  const waitsForRecord = async (originId: number) => {
    const record = await env.journal.transfer(originId);
    return record !== null && record.bankStatus !== null && record.result === null;
  };

  const locks = new Client({ connectionString: databaseUrl });
  // The server's outage breaks this connection, on purpose.
  locks.on('error', () => undefined);
  await locks.connect();
  try {
    // Blocks only inserts; a waiting statement gives up after 5 s and is retried.
    await locks.query('begin; lock table giro.result, giro.annulment in share mode');
    // All together: most of them stay in their phase only for some ten seconds.
    await Promise.all(
      PHASES.map(({ phase }) => phase)
        .filter((phase) => phase !== 'receiving')
        .map(start),
    );
    await Promise.all([
      all('create in flight', isInFlight('transfer-request')),
      all('looking up', isIn('looking-up')),
      all('polling, between look-ups', isIn('polling')),
      all('polling, a look-up in flight', isInFlight('get-movement')),
      all('recording the result', waitsForRecord),
      all('annulling', waitsForRecord),
    ]);
    await locks.query('lock table giro.transfer in share mode');
    await start('receiving');
    // A query would wait for the current step, so this counts the sessions that wait for the lock.
    await until(
      () => waitingFor(locks, 'transfer'),
      (waiting) => waiting === each,
      ALL_AT_ONCE_MS,
    ).catch((error: unknown) => {
      throw new NotAllAtOnce('not every transfer waits to be received', { cause: error });
    });
    await Promise.all([
      all('looking up', isIn('looking-up')),
      all('polling, between look-ups', isIn('polling')),
    ]);
    // Last, because no time may pass between these and the strike.
    await all('polling, a look-up in flight', isInFlight('get-movement'));
    await all('create in flight', isInFlight('transfer-request'));
    await strike(() => locks.query('rollback').then(() => undefined));
  } finally {
    await locks.end().catch(() => undefined);
  }
  return ids;
}

/** Sessions that wait for a lock on a table of the journal. */
async function waitingFor(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_locks
     where not granted and relation = ('giro.' || $1)::regclass`,
    [table],
  );
  return rows[0]?.count ?? 0;
}
