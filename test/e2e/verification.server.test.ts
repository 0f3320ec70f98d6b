import { join } from 'node:path';
import { tokenAccess } from '../../dev/bank-access';
import { BANK_TOKEN, until } from '../../dev/giro-environment';
import { packageRoot } from '../../dev/package-root';
import { startWorkerProcess } from '../../dev/worker-process';
import { GiroClient } from '../../src/client';
import type { AmendStartRequest } from '../../src/client';
import { verificationRuns } from '../../src/engine/runs';
import { recoverVerifications } from '../../src/recovery/recover-verifications';
import type { StatusMap } from '../../src/domain/verification/status-map';
import type { VerificationRule } from '../../src/sandbox-bank';
import { textsBesideTheOrder } from '../support/history-texts';
import { testServers } from '../support/servers';
import { useEnvironment } from './environment';
import { keepHistory } from './keep-history';

const HOUR_MS = 3_600_000;
const POLL_MS = HOUR_MS;
const POLL_MAX_MS = 240 * HOUR_MS;
/** What a wait costs beside its gap: task, activity and a slow machine. */
const SLACK_MS = 60_000;
/** Duration of a slow look-up: the time in which a test acts. */
const IN_FLIGHT_MS = 8_000;
/** Less than the 20 s that a step may take. */
const LOOKUP_TIMEOUT_MS = 16_000;

const rule = (prefix: string, rest: Omit<VerificationRule, 'kind' | 'match'>): VerificationRule => ({
  kind: 'verification',
  match: { requestId: { prefix } },
  ...rest,
});

const environment = useEnvironment({
  verifications: { pollMs: POLL_MS, pollMaxMs: POLL_MAX_MS },
  settings: { lookupTimeoutMs: LOOKUP_TIMEOUT_MS },
  rules: [
    rule('months', { statuses: [...Array<string>(21).fill('Pendiente'), ' APROBÁDO'] }),
    rule('rejected', { statuses: ['Pendiente', 'RECHAZADO'], person: 'natural' }),
    rule('words', { statuses: ['Pendiente', 'En revisión', 'Juan Nadie 27361705039', 'Aprobado'] }),
    rule('other', { statuses: ['Aprobado'], echo: [{ set: { requestId: 'another' }, until: 2 }] }),
    rule('silent', { statuses: ['Aprobado'], echo: [{ omit: ['requestId'], until: 2 }] }),
    rule('broken', {
      statuses: ['Pendiente', 'Aprobado'],
      query: [
        'malformed:html',
        'malformed:no-fields',
        'http-401',
        'http-503',
        'reset',
        'malformed:cut-off',
        'not-found',
      ],
    }),
    rule('absent', { query: [{ fault: 'not-found', times: 'always' }] }),
    rule('pending', { statuses: ['Pendiente'] }),
    rule('mapped', { statuses: ['Habilitado'] }),
    rule('left', { statuses: ['Habilitado'] }),
    rule('lost', { statuses: ['Aprobado'] }),
    rule('hinted', {
      statuses: ['Pendiente', 'Pendiente', 'Pendiente', 'Pendiente', 'Aprobado'],
      query: ['ok', 'ok', { fault: 'slow', delayMs: IN_FLIGHT_MS }],
    }),
    rule('raced', { statuses: ['Aprobado'], query: [{ fault: 'slow', delayMs: IN_FLIGHT_MS }] }),
    rule('killed', { statuses: ['Pendiente', 'Aprobado'] }),
  ],
});

/** The Temporal server is shared with other test files. */
const tag = Math.random().toString(36).slice(2, 10);
const idOf = (name: string): string => `${name}-${tag}`;

const skippingTime: AmendStartRequest = (request) => ({
  ...request,
  timeSkippingConfig: { enabled: true, maxSessionSkipCount: 100 },
});

/** The bank's own arrival log, in workflow time. */
function gapsOf(requestId: string): number[] {
  const times = environment()
    .env.bank.book.verificationRequests(requestId)
    .map(({ giroTime }) => Date.parse(giroTime ?? ''));
  return times.slice(1).map((time, i) => time - (times[i] ?? NaN));
}

const handleOf = (requestId: string, runId?: string) =>
  environment().env.engine.workflow.getHandle(`kyc-${requestId}`, runId);

/** Replays a history, looks for personal data in it, and may record it. */
const keep = (path: string, requestId: string, runId?: string): Promise<void> =>
  keepHistory(path, handleOf(requestId, runId), environment().taskQueue);

async function trackToItsEnd(name: string) {
  const { env } = environment();
  const requestId = idOf(name);
  const { runId } = await env.skipping.trackVerification(requestId);
  const result = await env.giro.waitForVerification(requestId, { timeoutMs: 300_000 });
  return { requestId, runId, result };
}

/** Waits until a look-up has reached the bank; its answer may not have come. */
const askedTimes = (requestId: string, times: number) =>
  until(
    () => Promise.resolve(environment().env.bank.book.verificationRequests(requestId)),
    (requests) => requests.length === times,
  );

/** What the journal holds as open. */
async function flagsOf(requestId: string): Promise<readonly string[]> {
  return (await environment().env.journal.verification(requestId))?.attentionReasons ?? [];
}

describe('an identity verification', () => {
  it.concurrent('months of Pendiente: gaps double to the longest one, histories stay short', async () => {
    const { requestId, runId, result } = await trackToItsEnd('months');
    expect(result).toMatchObject({ requestId, outcome: 'approved', status: 'APROBÁDO' });
    expect(result.statusDate).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Math.abs(Date.parse(result.statusDate ?? '') - Date.now())).toBeLessThan(10 * 60_000);

    const gaps = gapsOf(requestId);
    const expected = Array.from({ length: 21 }, (_, i) => Math.min(POLL_MS * 2 ** i, POLL_MAX_MS));
    expect(gaps).toHaveLength(expected.length);
    gaps.forEach((gap, i) => {
      expect(gap).toBeGreaterThanOrEqual(expected[i] ?? NaN);
      expect(gap).toBeLessThan((expected[i] ?? NaN) + SLACK_MS);
    });
    const { events } = await handleOf(requestId, runId).fetchHistory();
    expect(events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes).toBeDefined();
    expect(events?.length).toBeLessThan(350);
    await keep('kyc-continues-as-new', requestId, runId);
    await keep('kyc-continued-as-new', requestId);
    const record = await environment().env.journal.verification(requestId);
    expect(record).toMatchObject({ result, history: [{ status: 'Pendiente' }, { status: 'APROBÁDO' }] });
    // Age came and went: the new status cleared it.
    expect(record?.attentionReasons).toEqual([]);
  });

  it.concurrent(
    'a worker killed during a look-up: the look-up is lost, and the next one waits its gap',
    async () => {
      const { env, databaseUrl } = environment();
      const requestId = idOf('lost');
      const taskQueue = `giro-test-${requestId}`;
      const doomed = await startWorkerProcess({
        ...{ databaseUrl, taskQueue, temporalAddress: testServers().temporalAddress },
        access: tokenAccess(env.bank, BANK_TOKEN),
        // The look-up is in flight until the kill, however late that comes.
        preloaded: [join(packageRoot, 'test', 'support', 'hanging-verification.cjs')],
        env: { POLL_KYC: '1h', POLL_KYC_MAX: '10d', KYC_STATUS_MAP: 'Aprobado=approved' },
      });
      const giro = new GiroClient({ client: env.engine, taskQueue, amendStartRequest: skippingTime });
      try {
        await giro.trackVerification(requestId);
        await askedTimes(requestId, 1);
      } finally {
        await doomed.kill();
      }
      await env.startWorker({ taskQueue });
      const result = await giro.waitForVerification(requestId, { timeoutMs: 300_000 });
      expect(result.outcome).toBe('approved');
      const [gap, ...further] = gapsOf(requestId);
      expect(further).toEqual([]);
      // Counted from the start of the first look-up, which ended with the step's time-out.
      expect(gap).toBeGreaterThan(2 * POLL_MS);
      const { events } = await handleOf(requestId).fetchHistory();
      expect(events?.filter((event) => event.activityTaskTimedOutEventAttributes != null)).toHaveLength(1);
      await keepHistory('kyc-step-lost', handleOf(requestId), taskQueue);
    },
  );

  it.concurrent('rejected; what was reported about the person is in no history', async () => {
    const { requestId, result } = await trackToItsEnd('rejected');
    expect(result).toMatchObject({ outcome: 'rejected', status: 'RECHAZADO' });
    const texts = textsBesideTheOrder(await handleOf(requestId).fetchHistory()).map(({ text }) => text);
    expect(texts.some((text) => text.includes('RECHAZADO'))).toBe(true);
    expect(texts.filter((text) => text.includes('example.com'))).toEqual([]);
    await keep('kyc-rejected', requestId);
    const { typedSearchAttributes } = await handleOf(requestId).describe();
    const indexed = typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
    expect(Object.fromEntries(indexed)).toMatchObject({
      ...{ GiroKycStatus: 'RECHAZADO', GiroNeedsAttention: false, GiroOpenedAt: expect.any(Date) },
    });
  });

  it.concurrent(
    'a word that is not mapped is flagged and no outcome; a name in its place is hidden',
    async () => {
      const { requestId, result } = await trackToItsEnd('words');
      expect(result.outcome).toBe('approved');
      const view = await environment().env.giro.verificationState(requestId, { timeoutMs: 300_000 });
      expect(view.history.map(({ status }) => status)).toEqual([
        'Pendiente',
        'En revisión',
        expect.stringMatching(/^UNREADABLE_[0-9A-F]{8}$/),
        'Aprobado',
      ]);
      // Each status was new, so each gap was the least one.
      for (const gap of gapsOf(requestId)) expect(gap).toBeLessThan(POLL_MS + SLACK_MS);
      const texts = textsBesideTheOrder(await handleOf(requestId).fetchHistory()).map(({ text }) => text);
      expect(texts.filter((text) => /Juan|27361705039/.test(text))).toEqual([]);
      expect(texts.some((text) => text.includes('STATUS_UNKNOWN'))).toBe(true);
      await keep('kyc-unmapped', requestId);
    },
  );

  it.concurrent.each([
    ['other', 'ECHO_MISMATCH'],
    ['silent', 'ECHO_INCOMPLETE'],
  ])('an approval of %s request ends nothing: %s', async (name, reason) => {
    const { requestId, result } = await trackToItsEnd(name);
    expect(result).toMatchObject({ requestId, outcome: 'approved' });
    expect(environment().env.bank.book.verification(requestId)).toMatchObject({ queries: 3 });
    const texts = textsBesideTheOrder(await handleOf(requestId).fetchHistory()).map(({ text }) => text);
    expect(texts.some((text) => text.includes(reason))).toBe(true);
    await keep(`kyc-${reason.toLowerCase().replace('_', '-')}`, requestId);
  });

  it.concurrent('answers that cannot be read, refusals and errors: asked on, the gap grows', async () => {
    const { requestId, result } = await trackToItsEnd('broken');
    expect(result.outcome).toBe('approved');
    const gaps = gapsOf(requestId);
    expect(gaps).toHaveLength(8);
    gaps.slice(0, 7).forEach((gap, i) => expect(gap).toBeGreaterThanOrEqual(POLL_MS * 2 ** Math.min(i, 6)));
    const texts = textsBesideTheOrder(await handleOf(requestId).fetchHistory()).map(({ text }) => text);
    expect(texts.some((text) => text.includes('NO_ANSWER'))).toBe(true);
    await keep('kyc-no-answer', requestId);
    expect(await flagsOf(requestId)).toEqual([]);
  });

  it.concurrent(
    'one that the bank does not know is flagged; a stop ends it, and it can be tracked again',
    async () => {
      const { env } = environment();
      const requestId = idOf('absent');
      const { runId } = await env.skipping.trackVerification(requestId);
      await until(
        () => flagsOf(requestId),
        (reasons) => reasons.includes('REQUEST_NOT_FOUND'),
      );
      await env.giro.stopVerification(requestId);
      await expect(env.giro.waitForVerification(requestId)).rejects.toMatchObject({
        name: 'VerificationStoppedError',
      });
      expect(await env.journal.verification(requestId)).toMatchObject({ isTracked: false, result: null });
      expect(await env.journal.isOpenVerification(requestId)).toBe(false);
      // A flag of what is not tracked is for nobody.
      expect(await flagsOf(requestId)).toEqual([]);
      await keep('kyc-stopped', requestId, runId);
      expect(await env.giro.trackVerification(requestId)).toMatchObject({ started: true });
      await until(
        () => env.journal.isOpenVerification(requestId),
        (isOpen) => isOpen,
      );
      // It waits the least gap first, because the time of the last look-up is unknown.
      const view = await until(
        () => env.giro.verificationState(requestId),
        ({ nextPollAt }) => nextPollAt !== null,
      );
      expect(Date.parse(view.nextPollAt ?? '') - Date.now()).toBeGreaterThan(POLL_MS - SLACK_MS);
      await env.giro.stopVerification(requestId);
    },
  );

  it.concurrent('a lost run is started again and goes on; one that was stopped is not', async () => {
    const { env, taskQueue } = environment();
    const [lost, stopped] = [idOf('pending-lost'), idOf('pending-stopped')];
    for (const requestId of [lost, stopped]) {
      await env.giro.trackVerification(requestId);
      await until(
        () => env.giro.verificationState(requestId),
        ({ polls }) => polls === 1,
      );
    }
    await handleOf(lost).terminate('lost, for the test');
    await env.giro.stopVerification(stopped);
    await until(
      () => env.journal.isOpenVerification(stopped),
      (isOpen) => !isOpen,
    );
    const recoverNow = (dryRun: boolean) =>
      recoverVerifications({
        ...{ journal: env.journal, dryRun, checksMax: 1_000, startsMax: 1_000 },
        runs: verificationRuns(env.engine, taskQueue),
      });
    expect(await recoverNow(true)).toMatchObject({ recovered: [lost], more: false });
    // As the schedule does it.
    const report: unknown = await env.engine.workflow.execute('recovery', {
      ...{ workflowId: `recovery-${tag}`, taskQueue },
    });
    expect(report).toMatchObject({ verifications: { recovered: [lost], refusedInAll: 0 } });
    expect(await recoverNow(false)).toMatchObject({ recovered: [] });
    // The bank's statuses are kept; the next look-up waits the least gap.
    const view = await until(
      () => env.giro.verificationState(lost),
      ({ status }) => status === 'Pendiente',
    );
    expect(view.polls).toBe(0);
    expect(env.bank.book.verification(lost)).toMatchObject({ queries: 1 });
    await keep('kyc-lost-run-again', lost);
    await env.giro.stopVerification(lost);
  });

  it.concurrent('a hint moves the next look-up to the least gap, and no nearer', async () => {
    const { env } = environment();
    const requestId = idOf('hinted');
    await env.skipping.trackVerification(requestId);
    // The third look-up is in flight: nothing skips the wait of four hours that would follow.
    await askedTimes(requestId, 3);
    await env.giro.hintVerification(requestId, { source: 'test', eventId: '1' });
    await env.giro.waitForVerification(requestId, { timeoutMs: 300_000 });
    expect(gapsOf(requestId).map((gap) => Math.floor(gap / POLL_MS))).toEqual([1, 2, 1, 1]);
    await keep('kyc-hinted', requestId);
  });

  it.concurrent('a stop during the look-up that brings the outcome: the outcome counts', async () => {
    const { env } = environment();
    const requestId = idOf('raced');
    await env.giro.trackVerification(requestId);
    await askedTimes(requestId, 1);
    await env.giro.stopVerification(requestId);
    const result = await env.giro.waitForVerification(requestId, { timeoutMs: 300_000 });
    expect(result).toMatchObject({ outcome: 'approved' });
    expect(await env.journal.verification(requestId)).toMatchObject({ result });
    await keep('kyc-ended-despite-stop', requestId);
  });

  it.concurrent('tracked twice is tracked once; after the end it is found', async () => {
    const { env } = environment();
    const requestId = idOf('rejected-twice');
    const [first, second] = [
      await env.skipping.trackVerification(requestId),
      await env.skipping.trackVerification(requestId),
    ];
    expect([first.started, second.started, second.runId]).toEqual([true, false, first.runId]);
    await env.giro.waitForVerification(requestId, { timeoutMs: 300_000 });
    expect(await env.giro.trackVerification(requestId)).toMatchObject({ started: false });
  });

  it.each([
    ['no object', 'x', 'kyc-x'],
    ['another field', { requestId: 'x', name: 'Juan Nadie' }, 'kyc-x'],
    ['a requestId with a space', { requestId: 'x y' }, 'kyc-x y'],
    ['another workflow id', { requestId: 'x' }, 'kyc-y'],
  ])('refused: %s', async (_, request, workflowId) => {
    const { env, taskQueue } = environment();
    const run = env.engine.workflow.start('identityVerification', {
      ...{ workflowId: workflowId, taskQueue, args: [request] },
    });
    const error = await (await run).result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ cause: { type: 'InvalidVerificationRequest' } });
    expect(JSON.stringify(error)).not.toContain('Nadie');
    expect(await env.journal.verification('x')).toBeNull();
  });
});

/** These change the worker, so they run by themselves and last. */
describe('while workers change', () => {
  const withHabilitado: StatusMap = new Map([
    ['pendiente', 'pending'],
    ['rechazado', 'rejected'],
    ['habilitado', 'approved'],
  ]);

  it('a worker that goes away on the way: the next one goes on', async () => {
    const { env } = environment();
    const requestId = idOf('killed');
    await env.skipping.trackVerification(requestId);
    await until(
      () => env.giro.verificationState(requestId),
      ({ polls }) => polls >= 1,
    );
    await environment().worker.stop();
    environment().worker = await env.startWorker();
    expect(await env.giro.waitForVerification(requestId, { timeoutMs: 300_000 })).toMatchObject({
      outcome: 'approved',
    });
    expect(env.bank.book.verification(requestId)).toMatchObject({ queries: 2 });
  });

  it('a run under another workflow id that is cancelled at once does not stop the verification', async () => {
    const { env, taskQueue } = environment();
    const requestId = idOf('pending-foreign');
    await env.giro.trackVerification(requestId);
    await until(
      () => env.journal.isOpenVerification(requestId),
      (isOpen) => isOpen,
    );
    await environment().worker.stop();
    const foreign = await env.engine.workflow.start('identityVerification', {
      ...{ workflowId: `foreign-${requestId}`, taskQueue, args: [{ requestId }] },
    });
    await foreign.cancel();
    environment().worker = await env.startWorker();
    await expect(foreign.result()).rejects.toThrow();
    expect(await env.journal.verification(requestId)).toMatchObject({ isTracked: true });
    expect(await env.journal.isOpenVerification(requestId)).toBe(true);
    await env.giro.stopVerification(requestId);
  });

  it('a changed status map takes effect with the next look-up, and flags an outcome that was left', async () => {
    const { env } = environment();
    const [mapped, left] = [idOf('mapped'), idOf('left')];
    for (const requestId of [mapped, left]) {
      await env.skipping.trackVerification(requestId);
      await until(
        () => env.giro.verificationState(requestId),
        ({ attentionReasons }) => attentionReasons.includes('STATUS_UNKNOWN'),
      );
    }
    await environment().worker.stop();
    // The bank withdraws its status before the map defines it.
    const answersBefore = env.bank.book.verification(left)?.answers;
    env.bank.book.verifications.restate(left, ['Rechazado']);
    environment().worker = await env.startWorker({ statusMap: withHabilitado });
    expect(await env.giro.waitForVerification(mapped, { timeoutMs: 300_000 })).toMatchObject({
      outcome: 'approved',
    });
    expect(await env.giro.waitForVerification(left, { timeoutMs: 300_000 })).toMatchObject({
      outcome: 'rejected',
    });
    const texts = textsBesideTheOrder(await handleOf(left).fetchHistory()).map(({ text }) => text);
    expect(texts.some((text) => text.includes('STATUS_LEFT_FINAL'))).toBe(true);
    // Reported once it was a contradiction, reported twice it is the outcome.
    expect(env.bank.book.verification(left)?.answers).toBe((answersBefore ?? NaN) + 2);
    await keep('kyc-contradicted', left);
  });
});
