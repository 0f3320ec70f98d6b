import { until, stateOf } from '../../dev/giro-environment';
import { auditRequests, creates } from './audit';
import type { GiroEnvironmentOptions } from '../../dev/giro-environment';
import { nextOriginId, orderOf, useEnvironment } from './environment';

const POLL_ACTIVE_MS = 5_000;
const POLL_DELAYED_MS = 630_000;

/** What a transfer does at a bank of any dialect; a sandbox bank behind provides scenarios and requests. */
export function transferSuite(options: Pick<GiroEnvironmentOptions, 'front'> = {}): void {
  const environment = useEnvironment({
    ...options,
    quickTimers: true,
    rules: [
      { match: { description: 'at once' }, states: ['COMPLETED'] },
      { match: { description: 'fails' }, states: ['CREATED', 'IN_PROGRESS', 'FAILED'] },
      { match: { description: 'delayed' }, states: ['CREATED', 'DELAYED', 'DELAYED', 'COMPLETED'] },
      { match: { description: 'new word' }, states: ['CREATED', 'REVIEW', 'COMPLETED'] },
      {
        match: { description: 'long' },
        states: ['CREATED', ...Array<string>(34).fill('IN_PROGRESS'), 'COMPLETED'],
      },
      {
        match: { description: 'wrong echo' },
        states: ['CREATED', 'COMPLETED'],
        echo: [{ set: { 'details.amount': 1 }, from: 2, until: 2 }],
      },
      {
        match: { description: 'wrong origin' },
        states: ['CREATED', 'COMPLETED'],
        echo: [{ set: { 'details.originId': 99 }, from: 2, until: 2 }],
      },
      {
        match: { description: 'incomplete' },
        states: ['CREATED', 'COMPLETED'],
        echo: [{ omit: ['details'], from: 1, until: 2 }],
      },
      { match: { description: 'lost answer' }, create: ['lost-answer'] },
      { match: { description: 'refused' }, create: ['http-422'] },
    ],
  });

  async function run(description: string) {
    const { env } = environment();
    const originId = nextOriginId();
    await env.skipping.startTransfer(orderOf(originId, description));
    const result = await env.giro.waitForTransfer(originId);
    return { env, originId, result, requests: auditRequests(env, originId) };
  }

  describe('a transfer the bank completes', () => {
    it('at once: one request, no look-up', async () => {
      const { result, requests, originId } = await run('at once');
      expect(result).toEqual({
        originId,
        status: 'COMPLETED',
        movementId: expect.stringMatching(/^\d+$/),
        network: 'COELSA',
        networkId: expect.stringMatching(/^.{22}$/),
        amount: { currency: '032', value: '1500.25' },
        annulmentId: null,
        decidedBy: 'bank',
        reason: null,
        orderSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(requests).toHaveLength(1);
    });

    it('CREATED → IN_PROGRESS → COMPLETED: asked every 5 s, and no sooner', async () => {
      const { env, originId, requests } = await run('any');
      expect(requests.map(({ service }) => service)).toEqual([
        'transfer-request',
        'get-movement',
        'get-movement',
      ]);
      const gaps = requests.slice(1).map(({ gapMs }) => gapMs!);
      for (const gapMs of gaps) expect(gapMs).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
      // No look-up is left out. The benchmark measures how late they are, which depends on the machine.
      expect(Math.min(...gaps)).toBeLessThan(2 * POLL_ACTIVE_MS);
      // Not at the delayed cadence either.
      expect(Math.max(...gaps)).toBeLessThan(POLL_DELAYED_MS / 2);
      const view = await stateOf(env, originId);
      expect(view).toMatchObject({
        phase: 'ended',
        bankStatus: 'COMPLETED',
        polls: 2,
        needsAttention: false,
        nextPollAt: null,
      });
      expect(view.history.map(({ status }) => status)).toEqual(['CREATED', 'IN_PROGRESS', 'COMPLETED']);
    });

    it('DELAYED: asked more than 10 min apart', async () => {
      const { requests } = await run('delayed');
      const delayed = requests.filter(({ after }) => after === 'DELAYED');
      expect(delayed).toHaveLength(2);
      for (const { gapMs } of delayed) expect(gapMs).toBeGreaterThanOrEqual(POLL_DELAYED_MS);
    });

    it('through a status that the bank invented: flagged, polled at the active cadence, never final by it', async () => {
      const { env, originId, requests } = await run('new word');
      expect(requests).toHaveLength(3);
      // Not at the delayed cadence, even on a busy machine.
      expect(requests[2]!.gapMs).toBeLessThan(POLL_DELAYED_MS / 2);
      const record = await env.journal.transfer(originId);
      expect(record?.history.map(({ status }) => status)).toEqual(['CREATED', 'REVIEW', 'COMPLETED']);
      expect(record?.attentionReasons).toEqual([]);
    });
  });

  describe('a transfer the bank fails', () => {
    it('has exactly one annulment, with the ids of the answer that said FAILED', async () => {
      const { env, originId, result } = await run('fails');
      const annulments = (await env.journal.annulments({ since: null, after: null, limit: 1_000 })).filter(
        (a) => a.originId === originId,
      );
      expect(annulments).toHaveLength(1);
      expect(result).toMatchObject({ status: 'FAILED', annulmentId: annulments[0]!.id, decidedBy: 'bank' });
      expect(annulments[0]).toMatchObject({
        movementId: result.movementId,
        networkId: result.networkId,
        amount: '1500.25',
        currency: '032',
        bankStatus: 'FAILED',
        decidedBy: 'bank',
        operators: [],
        from: orderOf(originId, '').from,
        evidenceSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    });

    it('a completed one has none', async () => {
      const { env, originId } = await run('at once');
      const annulments = await env.journal.annulments({ since: null, after: null, limit: 1_000 });
      expect(annulments.filter((a) => a.originId === originId)).toEqual([]);
    });
  });

  describe('an unclear answer of create', () => {
    it('is looked up, found, and never sent again', async () => {
      const { result, requests } = await run('lost answer');
      expect(result.status).toBe('COMPLETED');
      expect(creates(requests)).toHaveLength(1);
      expect(requests[1]!.gapMs).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
    });

    it('a refusal counts only after 12 look-ups found nothing', async () => {
      const { env, originId, result, requests } = await run('refused');
      expect(result).toMatchObject({
        status: 'REFUSED',
        movementId: null,
        annulmentId: null,
        reason: 'HTTP 422',
      });
      expect(requests.map(({ service }) => service)).toEqual([
        'transfer-request',
        ...Array<string>(12).fill('get-movement'),
      ]);
      expect(
        (await env.journal.annulments({ since: null, after: null, limit: 1_000 })).filter(
          (a) => a.originId === originId,
        ),
      ).toEqual([]);
    });
  });

  describe('an echo that is not ours', () => {
    it('holds the transfer at the delayed cadence until an answer matches', async () => {
      const { result, requests } = await run('wrong echo');
      expect(result.status).toBe('COMPLETED');
      expect(requests.map(({ gapMs }) => (gapMs ?? 0) >= POLL_DELAYED_MS)).toEqual([false, false, true]);
    });

    it('incomplete with a final status: held and flagged, until the answer is complete', async () => {
      const { env, originId, result, requests } = await run('incomplete');
      expect(result.status).toBe('COMPLETED');
      expect(requests.at(-1)!.gapMs).toBeGreaterThanOrEqual(POLL_DELAYED_MS);
      expect((await env.journal.transfer(originId))?.attentionReasons).toEqual([]);
    });

    it('another originId: held for good, whatever comes after; the journal and the engine show the flag', async () => {
      const { env } = environment();
      const originId = nextOriginId();
      await env.giro.startTransfer(orderOf(originId, 'wrong origin'));
      const held = await until(
        () => stateOf(env, originId),
        ({ phase }) => phase === 'held',
      );
      expect(held).toMatchObject({
        needsAttention: true,
        attentionReasons: ['ECHO_MISMATCH'],
        doubtfulAnswer: { status: 'COMPLETED', echo: 'mismatch', fields: ['originId'] },
      });
      await env.giro.hintTransfer(originId, { source: 'test', eventId: '1' });
      const asked = await until(
        () => stateOf(env, originId),
        ({ polls }) => polls === 2,
      );
      expect(asked).toMatchObject({ phase: 'held', needsAttention: true });
      const record = await until(
        () => env.journal.transfer(originId),
        (it) => it?.attentionReasons.length === 1,
      );
      expect(record).toMatchObject({ attentionReasons: ['ECHO_MISMATCH'], result: null });
      await env.transfer(originId).terminate('test is over');
    });
  });

  describe('a hint', () => {
    it('brings a held transfer forward to what the last bank status allows, not sooner', async () => {
      const { env } = environment();
      const originId = nextOriginId();
      await env.giro.startTransfer(orderOf(originId, 'wrong echo'));
      const held = await until(
        () => stateOf(env, originId),
        ({ phase }) => phase === 'held',
      );
      expect(Date.parse(held.nextPollAt!) - Date.parse(held.lastPolledAt!)).toBeGreaterThanOrEqual(
        POLL_DELAYED_MS,
      );
      await env.giro.hintTransfer(originId, { source: 'test', eventId: '1' });
      const result = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
      expect(result.status).toBe('COMPLETED');
      const gap = auditRequests(env, originId)[2]!.gapMs;
      expect(gap).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
      expect(gap).toBeLessThan(60_000);
    });

    it('does not shorten the gap of DELAYED', async () => {
      const { env } = environment();
      const originId = nextOriginId();
      await env.giro.startTransfer(orderOf(originId, 'delayed'));
      const delayed = await until(
        () => stateOf(env, originId),
        ({ bankStatus }) => bankStatus === 'DELAYED',
      );
      await env.giro.hintTransfer(originId, { source: 'test', eventId: '1' });
      await env.giro.hintTransfer(originId, { source: 'test', eventId: '1' });
      expect((await stateOf(env, originId)).nextPollAt).toBe(delayed.nextPollAt);
      expect(Date.parse(delayed.nextPollAt!) - Date.parse(delayed.lastPolledAt!)).toBeGreaterThanOrEqual(
        POLL_DELAYED_MS,
      );
      await env.transfer(originId).terminate('test is over');
    });
  });

  describe('a long transfer', () => {
    it('continues as new every 30 look-ups and loses nothing', async () => {
      const { env, originId, result, requests } = await run('long');
      expect(result.status).toBe('COMPLETED');
      expect(requests).toHaveLength(36);
      for (const { gapMs } of requests.slice(1)) expect(gapMs).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
      const view = await stateOf(env, originId);
      expect(view).toMatchObject({ polls: 35, phase: 'ended' });
      expect(view.history.map(({ status }) => status)).toEqual(['CREATED', 'IN_PROGRESS', 'COMPLETED']);
      const history = await env.transfer(originId).fetchHistory();
      expect(
        history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId,
      ).toBeTruthy();
      expect(history.events!.length).toBeLessThan(60);
    }, 300_000);
  });
}
