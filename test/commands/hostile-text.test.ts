import { Client, Connection } from '@temporalio/client';
import { stubBank } from './support/stub-bank';
import { giro, NO_SERVERS } from './support/memory-io';
import { createLogger } from '../../src/telemetry/logger';

/** Writes the clipboard, hides what follows, and forges a line. */
const HOSTILE = '\u001b]52;c;ZXZpbA==\u0007\u009b2J\u202egnihton\r\nok: all is well';
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const AT = '2026-01-05T10:00:00.000Z';
const env = { ...NO_SERVERS, BANK_BASE_URL: 'https://127.0.0.1:1', BANK_TOKEN: 'token' };

const movement = {
  ...{ id: HOSTILE, status: HOSTILE, hasDetails: true, originId: HOSTILE, amount: HOSTILE },
  ...{ currency: HOSTILE, network: HOSTILE, networkId: HOSTILE, postingAt: HOSTILE, completedAt: HOSTILE },
  ...{ destination: null, source: null },
};
const bank = {
  ...stubBank(),
  getMovement: () => Promise.resolve({ kind: 'movement', movement, evidenceSha256: '0'.repeat(64) }),
  getRawMovement: () => Promise.resolve({ kind: 'raw', value: { [HOSTILE]: HOSTILE } }),
  listWebhooks: () =>
    Promise.resolve({
      kind: 'subscriptions',
      subscriptions: [{ eventType: HOSTILE, endpoint: HOSTILE, info: HOSTILE }],
    }),
};

const result = {
  ...{ originId: 4711, status: 'COMPLETED', movementId: HOSTILE, network: HOSTILE, networkId: HOSTILE },
  ...{ amount: { currency: HOSTILE, value: HOSTILE }, annulmentId: null, decidedBy: 'operators' },
  ...{ reason: HOSTILE, orderSha256: '0'.repeat(64) },
};
const incident = {
  ...{ id: 'i1', originId: 4711, fact: 'STATUS', sentence: HOSTILE, finalStatus: 'COMPLETED' },
  ...{ bankStatus: HOSTILE, movementId: HOSTILE, networkId: HOSTILE, evidenceSha256: null, at: AT },
  acknowledged: { operator: HOSTILE, note: HOSTILE, at: AT },
};
const record = {
  ...{ originId: 4711, orderSha256: '0'.repeat(64), reference: HOSTILE, result, openedAt: AT },
  ...{ phase: 'ended', bankStatus: HOSTILE, movementId: HOSTILE, network: HOSTILE, networkId: HOSTILE },
  ...{ needsAttention: false, attentionReasons: [HOSTILE], polls: 1, lastPolledAt: AT, nextPollAt: null },
  ...{ cancelRequested: false, history: [{ status: HOSTILE, at: AT }], amount: result.amount },
  ...{ attempts: [{ number: 1, at: AT, outcome: HOSTILE }], annulment: null, incidents: [incident] },
  ...{ proposals: [{ action: 'resume', operator: HOSTILE, reason: HOSTILE, at: AT }], lastError: null },
  ...{ conflict: HOSTILE, sendingStopped: { at: AT, operator: HOSTILE, reason: HOSTILE } },
  ...{ doubtfulAnswer: null, mayDecide: [], orderKeyId: HOSTILE },
  decisions: [
    {
      ...{ outcome: 'accepted', action: 'resume', operator: HOSTILE, reason: HOSTILE, at: AT },
      ...{ operators: [HOSTILE], keyFingerprint: HOSTILE },
    },
  ],
};
const verification = {
  ...{ requestId: 'r1', openedAt: AT, isTracked: false, status: HOSTILE, statusDate: HOSTILE },
  ...{ attentionReasons: [HOSTILE], history: [{ status: HOSTILE, at: AT }], result: null, endedAt: AT },
  answerKeptAt: AT,
};
const found = {
  ...{ key: HOSTILE, class: 'ORPHAN_AT_BANK', severity: 'high', detail: HOSTILE, originId: null },
  ...{ amount: null, evidence: null, fact: HOSTILE, firstSeen: AT, lastSeen: AT, state: 'acknowledged' },
  ...{ resolvedBy: null, operator: HOSTILE, note: HOSTILE, resolvedFact: null },
};
const journal = {
  transfer: () => Promise.resolve(record),
  transfers: () => Promise.resolve([record]),
  differingValues: () =>
    Promise.resolve({
      ...{ number: 1, at: AT, fields: ['amount'] },
      content: { kind: 'opened', values: [{ field: 'amount', ordered: HOSTILE, reported: [HOSTILE] }] },
    }),
  verification: () => Promise.resolve(verification),
  verificationAnswer: () => Promise.resolve({ text: JSON.stringify({ name: HOSTILE }), keptAt: AT }),
  recordAudit: () => Promise.resolve(),
  incidents: () => Promise.resolve([incident]),
  breaks: ({ after }: { after: unknown }) => Promise.resolve(after === null ? [found] : []),
  sendingState: () =>
    Promise.resolve({ stopped: true, since: AT, operator: HOSTILE, reason: HOSTILE, claimed: 0 }),
};
/** Nobody asks it: what is shown has ended. */
const temporal = {
  client: new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) }),
  config: { taskQueue: 'giro' },
};

test.each([
  ['movement show --debin-id D1'],
  ['movement show --debin-id D1 --json'],
  ['movement show --debin-id D1 --raw'],
  ['webhook list'],
  ['webhook list --json'],
  ['transfer show 4711'],
  ['transfer show 4711 --json'],
  ['kyc show r1'],
  ['kyc show r1 --full --operator ana --reason ticket'],
  ['kyc show r1 --full --operator ana --reason ticket --json'],
  ['incident list'],
  ['incident list --json'],
  ['reconcile breaks'],
  ['reconcile breaks --json'],
])('giro %s prints no control of what others wrote, and no line that they made', async (command) => {
  const { code, stdout, stderr } = await giro(command.split(' '), {
    env,
    overrides: { bank, journal, temporal } as never,
  });
  expect([stderr, code]).toEqual(['', 0]);
  expect(stdout).toContain('\\u001b]52;c;ZXZpbA==\\u0007\\u009b2J\\u202egnihton');
  expect(stdout).not.toMatch(CONTROLS);
  expect(stdout.split('\n').filter((line) => line.trimStart().startsWith('ok: all'))).toEqual([]);
  if (command.endsWith('--json') || command.endsWith('--raw'))
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(HOSTILE));
});

test.each([false, true])(
  'a line of the log (pretty: %s) has no control characters and no line that others made',
  (pretty) => {
    const lines: string[] = [];
    const log = createLogger({
      level: 'info',
      pretty,
      destination: { write: (line) => void lines.push(line) },
    });
    log.info({ bankStatus: HOSTILE, [HOSTILE]: 1, err: new Error(HOSTILE) }, HOSTILE);
    // The colours of a terminal are the formatter's own.
    const text = lines.join('').replace(/\u001b\[\d+m/g, '');
    expect(text).not.toMatch(CONTROLS);
    expect(text.split('\n').filter((line) => line.startsWith('ok: all'))).toEqual([]);
    if (!pretty) expect(JSON.parse(text)).toMatchObject({ bankStatus: HOSTILE, [HOSTILE]: 1, msg: HOSTILE });
  },
);
