import type { RequestRecord } from '../../src/sandbox-bank';
import { claimedNumbers } from '../e2e/claimed-requests';
import { CHAOS_SETTINGS } from './chaos-environment';
import type { ChaosEnvironment } from './chaos-environment';

/** The books of an environment: its bank's and its journal's. */
export type Books = Pick<ChaosEnvironment, 'env' | 'databaseUrl'>;

/** The bank's requests about one transfer, in order of arrival. */
export const arrivals = ({ env }: Pick<Books, 'env'>, originId: number): readonly RequestRecord[] =>
  env.bank.book.requests(String(originId));

export const createsOf = (requests: readonly RequestRecord[]): RequestRecord[] =>
  requests.filter(({ service }) => service === 'transfer-request');

/**
 * Checks what must hold for every ended transfer, after any fault of its workers. Each number is claimed once and in
 * order, and each request has a claim. All requests keep the gap. The bank has one movement, and journal and bank
 * agree.
 */
export async function expectSoundBooks(
  chaos: Books,
  originId: number,
  status: 'COMPLETED' | 'FAILED',
): Promise<void> {
  const { env, databaseUrl } = chaos;
  const requests = arrivals(chaos, originId);
  const gaps = requests.slice(1).map((request, i) => {
    const before = requests[i]!;
    return { gapMs: Date.parse(request.at) - Date.parse(before.finishedAt!), before, request };
  });
  expect(gaps.filter(({ gapMs }) => gapMs < CHAOS_SETTINGS.pollActiveMs)).toEqual([]);
  const claims = await claimedNumbers(databaseUrl, originId);
  expect(claims.map(({ number }) => number)).toEqual(claims.map((_, i) => i + 1));
  expect(requests.length).toBeLessThanOrEqual(claims.length);
  expect(createsOf(requests).length).toBeLessThanOrEqual(
    claims.filter(({ kind }) => kind === 'create').length,
  );

  expect(env.bank.book.movements().filter((it) => it.originId === String(originId))).toHaveLength(1);
  const movement = env.bank.book.movement(String(originId));
  const recorded = await env.journal.transfer(originId);
  expect(movement?.status).toBe(status);
  expect(recorded?.result).toMatchObject({
    status,
    movementId: movement?.id,
    networkId: movement?.networkId,
  });
  const annulments = (await env.journal.annulments({ since: null, after: null, limit: 1_000 })).filter(
    (it) => it.originId === originId,
  );
  expect(annulments).toHaveLength(status === 'FAILED' ? 1 : 0);
  expect(recorded?.result?.annulmentId ?? null).toBe(annulments[0]?.id ?? null);
}
