import type { NumberedRequest } from '../../src/activities/numbered-request';
import { nextOriginId, orderOf } from '../e2e/environment';
import { claimedNumbers } from '../e2e/claimed-requests';
import { arrivals } from './books';
import { useChaos } from './chaos-environment';

const chaos = useChaos([]);
const CALLS = 50;

const request = (originId: number, number: number): NumberedRequest => ({
  originId,
  number,
  runId: 'a run that two workers carry out',
  workflowTime: new Date().toISOString(),
  lateMs: 0,
  returning: false,
});

describe('two workers that run the same step', () => {
  it(`${CALLS} calls with one number, of create and of look-up: the bank sees one of each`, async () => {
    const workers = [chaos().activities(), chaos().activities()] as const;
    const originId = nextOriginId();
    const order = orderOf(originId, 'any');
    const start = {
      workflowId: `transfer-${originId}`,
      hasExecutionTimeout: false,
      hasRunTimeout: false,
      hasCron: false,
      hasRetryPolicy: false,
    };
    const received = await Promise.all(
      workers.map((worker) => worker.receiveTransfer({ order, start }, SEEN)),
    );
    expect(received.map(({ kind }) => kind)).toEqual(['open', 'open']);
    const journalId = received[0]?.kind === 'open' ? received[0].journalId : '';

    const both = <T>(call: (worker: (typeof workers)[number]) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: CALLS }, (_, i) => call(workers[i % 2 === 0 ? 0 : 1])));
    const sent = await both((worker) =>
      worker.createTransfer({ ...request(originId, 1), journalId, isRetry: false }),
    );
    const asked = await both((worker) => worker.lookUpMovement(request(originId, 2), SEEN));

    for (const outcomes of [sent, asked]) {
      const answers = outcomes.map((outcome) => (outcome.kind === 'answer' ? outcome.answer : outcome));
      // A later call returns the recorded answer; if none is recorded yet, `unknown` or `no-answer`.
      const kinds = new Set(answers.map(({ kind }) => kind));
      expect([...kinds].filter((kind) => !KINDS.includes(kind))).toEqual([]);
      expect(answers.filter(({ kind }) => kind === 'answered' || kind === 'movement').length).toBeGreaterThan(
        0,
      );
    }
    expect(arrivals(chaos(), originId).map(({ service }) => service)).toEqual([
      'transfer-request',
      'get-movement',
    ]);
    expect(await claimedNumbers(chaos().databaseUrl, originId)).toEqual([
      { number: 1, kind: 'create' },
      { number: 2, kind: 'lookup' },
    ]);
    expect(chaos().env.bank.book.movement(String(originId))).toMatchObject({ creates: 1, queries: 1 });
  });
});

const SEEN = { engineMs: Date.now(), events: 1, hints: 0, decisions: 0, isCancelled: false };
const KINDS: readonly string[] = ['answered', 'movement', 'unknown', 'no-answer'];
