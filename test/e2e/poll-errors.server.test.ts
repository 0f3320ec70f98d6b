import { stateOf, until } from '../../dev/giro-environment';
import type { TransferResult } from '../../src/domain/transfer/result';
import type { TransferView } from '../../src/domain/transfer/view';
import type { SandboxRule } from '../../src/sandbox-bank';
import { times } from '../../src/workflows/markdown';
import { auditRequests, creates } from './audit';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/**
 * Look-ups and creates that bring no readable answer. In real time, at a fifth of the usual pace, and all transfers at
 * once: the longest asks some forty times.
 */
const POLL_ACTIVE_MS = 1_000;
/** While held, and long enough to be seen on a busy machine. */
const POLL_DELAYED_MS = 12_000;
/** Much longer than a busy machine takes to bring a good answer. */
const LOOKUP_TIMEOUT_MS = 15_000;
/** A busy machine may add this much to most pauses. The delayed cadence, or eight pauses that double, would add more. */
const LATE_MAX_MS = 6_000;

const MALFORMED = [
  ...(['html', 'empty', 'truncated', 'cut-off', 'array', 'null', 'string', 'no-fields'] as const),
  ...(['wrong-types', 'duplicate-keys', 'wrong-charset', 'fake-gzip', 'huge'] as const),
];

/** Long enough to be seen on a busy machine, like `UNAUTHORIZED`. */
const ERRORS = 8;
/** Each takes `LOOKUP_TIMEOUT_MS`. */
const TIMEOUTS = 3;
/** The flag is raised by the twelfth, and shown until the last. */
const UNAUTHORIZED = 25;

const SCENARIOS = {
  'HTTP 500': { query: [{ fault: 'http-500', times: ERRORS }] },
  'a reset': { query: [{ fault: 'reset', times: ERRORS }] },
  'no answer in time': { query: [{ fault: 'timeout-before', times: TIMEOUTS }] },
  'an answer that comes too late': {
    query: [{ fault: 'slow', delayMs: 2 * LOOKUP_TIMEOUT_MS, times: TIMEOUTS }],
    states: ['CREATED', ...Array<string>(TIMEOUTS).fill('IN_PROGRESS'), 'COMPLETED'],
  },
  'every malformed answer': { query: MALFORMED.map((name) => `malformed:${name}` as const) },
  'not found after found': { query: [{ fault: 'not-found', times: 3 }] },
  vanished: {
    query: ['ok', { fault: 'not-found', times: 12 }],
    states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'],
  },
  unauthorized: { query: [{ fault: 'http-401', times: UNAUTHORIZED }] },
  'never taken': { create: [{ fault: 'http-503', times: 'always' }] },
  'taken the second time': { create: ['http-500'] },
  'refused, but taken': {
    create: [{ fault: 'http-422', taken: true }],
    query: [{ fault: 'not-found', times: 3 }],
  },
  'answer lost, found late': {
    create: ['lost-answer'],
    query: [{ fault: 'not-found', times: 12 }],
    duplicates: 'error',
  },
} as const satisfies Readonly<Record<string, SandboxRule>>;
type Name = keyof typeof SCENARIOS;

const originIds = new Map<Name, number>();
/** What each transfer showed while it ran, observed from the start for all tests. */
const seen = new Map<Name, Promise<Sight[]>>();
const ended = new AbortController();

// Before the environment closes, which is the next `afterAll`.
afterAll(async () => {
  ended.abort();
  await Promise.all(seen.values());
});

const environment = useEnvironment({
  settings: {
    pollActiveMs: POLL_ACTIVE_MS,
    pollDelayedMs: POLL_DELAYED_MS,
    lookupTimeoutMs: LOOKUP_TIMEOUT_MS,
  },
  rules: Object.entries(SCENARIOS).map(([description, rule]) => ({
    states: ['CREATED', 'COMPLETED'],
    ...rule,
    match: { description },
  })),
});

interface Sight {
  readonly view: TransferView;
  readonly details: string;
}

beforeAll(async () => {
  for (const name of Object.keys(SCENARIOS) as Name[]) {
    const originId = nextOriginId();
    originIds.set(name, originId);
    await environment().env.giro.startTransfer(orderOf(originId, name));
    if (name !== 'never taken') seen.set(name, watch(originId));
  }
});

const idOf = (name: Name): number => originIds.get(name) ?? 0;

/** Each state that the query and the current details show, until the transfer ends. */
async function watch(originId: number): Promise<Sight[]> {
  const { env } = environment();
  const sights: Sight[] = [];
  while (!ended.signal.aborted && sights.at(-1)?.view.phase !== 'ended') {
    const [details, view] = await Promise.all([
      detailsOf(originId).catch(() => ''),
      stateOf(env, originId).catch(() => null),
    ]);
    // Two queries: only where both speak of the same look-up do they belong together.
    if (view !== null && details.includes(`asked ${times(view.polls)},`)) sights.push({ view, details });
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return sights;
}

async function detailsOf(originId: number): Promise<string> {
  const metadata = await environment().env.transfer(originId).query('__temporal_workflow_metadata');
  return (metadata as { currentDetails?: string }).currentDetails ?? '';
}

async function completed(name: Name) {
  const { env } = environment();
  const originId = idOf(name);
  const result: TransferResult = await env.giro.waitForTransfer(originId, { timeoutMs: 300_000 });
  expect(result.status).toBe('COMPLETED');
  const sights = (await seen.get(name)) ?? [];
  expect(sights.at(-1)?.view).toMatchObject({ phase: 'ended', lastError: null, attentionReasons: [] });
  expect((await env.journal.transfer(originId))?.attentionReasons).toEqual([]);
  expect(env.bank.book.movements().filter((it) => it.originId === String(originId))).toHaveLength(1);
  return { sights, requests: auditRequests(env, originId) };
}

/** From the end of one request, as the bank saw it, to the arrival of the next. */
function pausesOf(name: Name): number[] {
  const records = environment().env.bank.book.requests(String(idOf(name)));
  return records.slice(1).map(({ at }, i) => Date.parse(at) - Date.parse(records[i]?.finishedAt ?? at));
}

/** No look-up is early, and most are on time: a workflow task that is lost once makes one of them 10 s late. */
function expectCadence(name: Name): void {
  const pauses = pausesOf(name).sort((a, b) => a - b);
  expect(pauses[0]).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
  expect(pauses[Math.floor((pauses.length - 1) / 2)]).toBeLessThan(POLL_ACTIVE_MS + LATE_MAX_MS);
}

describe('a look-up without a readable answer', () => {
  it.each([
    ['HTTP 500', 'HTTP_STATUS', 500, ERRORS],
    ['a reset', 'CONNECTION_LOST', null, ERRORS],
    ['no answer in time', 'TIMEOUT', null, TIMEOUTS],
    ['an answer that comes too late', 'TIMEOUT', null, TIMEOUTS],
  ] as const)(
    '%s: shown as %s, the cadence kept, gone with a good answer',
    async (name, code, httpStatus, errors) => {
      const { sights, requests } = await completed(name);
      const failed = sights.find(({ view }) => view.lastError !== null);
      expect(failed?.view).toMatchObject({
        phase: 'polling',
        bankStatus: 'CREATED',
        lastError: { code, httpStatus },
      });
      expect(failed?.details).toContain(
        `last request failed: \`${[code, httpStatus ?? []].flat().join(' ')}\``,
      );
      expect(sights.at(-1)?.details).not.toContain('last request failed');
      expect(requests).toHaveLength(1 + errors + 1);
      expectCadence(name);
    },
  );

  it('every malformed answer: asked on until a good one comes', async () => {
    const name = 'every malformed answer';
    const { sights, requests } = await completed(name);
    expect(requests).toHaveLength(1 + MALFORMED.length + 1);
    expectCadence(name);
    // From the journal: on a busy machine an error may be gone before it is seen.
    const page = { after: idOf(name) - 1, limit: 1, from: null };
    const [audited] = await environment().env.journal.auditedTransfers(page);
    const errors = audited?.transfer?.records.requests.map(({ answer }) =>
      answer?.value.kind === 'no-answer' ? answer.value.error.code : null,
    );
    for (const code of ['UNREADABLE', 'NOT_A_MOVEMENT']) expect(errors).toContain(code);
    for (const { view } of sights.slice(0, -1)) expect(['CREATED', null]).toContain(view.bankStatus);
  });

  it('12 answers 401 running: BANK_UNAUTHORIZED, asked on at the same cadence, cleared by a good answer', async () => {
    const { sights, requests } = await completed('unauthorized');
    const flagged = sights.find(({ view }) => view.needsAttention);
    expect(flagged?.view).toMatchObject({
      phase: 'polling',
      attentionReasons: ['BANK_UNAUTHORIZED'],
      lastError: { code: 'UNAUTHORIZED', httpStatus: 401 },
    });
    expect(flagged?.view.polls).toBeGreaterThanOrEqual(12);
    expect(flagged?.details).toContain('`BANK_UNAUTHORIZED`');
    expect(requests).toHaveLength(1 + UNAUTHORIZED + 1);
    expectCadence('unauthorized');
  });
});

describe('not found after found', () => {
  it('a few times: nothing is held and nothing is sent', async () => {
    const { sights, requests } = await completed('not found after found');
    expect(sights.some(({ view }) => view.needsAttention)).toBe(false);
    expect(requests.map(({ outcome }) => outcome)).toEqual([
      'ok',
      'not-found',
      'not-found',
      'not-found',
      'ok',
    ]);
    expectCadence('not found after found');
  });

  it('12 times running: held as VANISHED, asked slowly, never sent again, cleared when it is back', async () => {
    const { sights, requests } = await completed('vanished');
    const held = sights.find(({ view }) => view.phase === 'held');
    expect(held?.view).toMatchObject({
      attentionReasons: ['VANISHED'],
      bankStatus: 'IN_PROGRESS',
      polls: 13,
    });
    expect(held?.details).toContain('`VANISHED`');
    expect(creates(requests)).toHaveLength(1);
    expect(requests).toHaveLength(1 + 13 + 1);
    expect(pausesOf('vanished').at(-1)).toBeGreaterThanOrEqual(POLL_DELAYED_MS);
  });
});

describe('a create whose outcome is unknown', () => {
  it('taken the second time: one movement, the same bytes', async () => {
    const { requests } = await completed('taken the second time');
    expect(requests.map(({ service }) => service)).toEqual([
      'transfer-request',
      ...Array<string>(12).fill('get-movement'),
      'transfer-request',
      'get-movement',
    ]);
    expect(new Set(creates(requests).map(({ bodySha256 }) => bodySha256)).size).toBe(1);
    expectCadence('taken the second time');
  });

  it('refused, but taken: found, and it goes on', async () => {
    const { requests } = await completed('refused, but taken');
    expect(creates(requests)).toHaveLength(1);
    expectCadence('refused, but taken');
  });

  it('lost, sent again and answered as a duplicate with 409: found', async () => {
    const { requests } = await completed('answer lost, found late');
    expect(creates(requests).map(({ outcome }) => outcome)).toEqual(['lost-answer', 'duplicate-error']);
    expect(new Set(creates(requests).map(({ bodySha256 }) => bodySha256)).size).toBe(1);
  });

  it('never taken: three sends of the same bytes, 12 look-ups each, then OUTCOME_UNKNOWN and look-ups only', async () => {
    const { env } = environment();
    const originId = idOf('never taken');
    const requests = await until(
      () => Promise.resolve(auditRequests(env, originId)),
      ({ length }) => length >= 3 * 13 + 2,
    );
    const round = ['transfer-request', ...Array<string>(12).fill('get-movement')];
    expect(requests.map(({ service }) => service).slice(0, 3 * 13 + 2)).toEqual(
      [round, round, round, 'get-movement', 'get-movement'].flat(),
    );
    expect(new Set(creates(requests).map(({ bodySha256 }) => bodySha256)).size).toBe(1);
    expect(await stateOf(env, originId)).toMatchObject({
      phase: 'held',
      sends: 3,
      bankStatus: null,
      attentionReasons: ['OUTCOME_UNKNOWN'],
    });
    expect((await env.journal.transfer(originId))?.attentionReasons).toEqual(['OUTCOME_UNKNOWN']);
    const pauses = pausesOf('never taken');
    for (const pauseMs of pauses) expect(pauseMs).toBeGreaterThanOrEqual(POLL_ACTIVE_MS);
    for (const pauseMs of pauses.slice(3 * 13 - 1)) expect(pauseMs).toBeGreaterThanOrEqual(POLL_DELAYED_MS);
    expect(env.bank.book.movement(String(originId))).toBeNull();
    await env.transfer(originId).terminate('test is over');
  });
});
