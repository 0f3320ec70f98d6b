import { ATTENTION_REASONS, REASON_SENTENCES } from '../../src/domain/transfer/flags';
import type { AttentionReason } from '../../src/domain/transfer/flags';
import type { TransferResult } from '../../src/domain/transfer/result';
import { initialState } from '../../src/domain/transfer/state';
import type { TransferState } from '../../src/domain/transfer/state';
import { initialVerification } from '../../src/domain/verification/state';
import { VERIFICATION_REASONS } from '../../src/domain/verification/flags';
import { currentDetails } from '../../src/workflows/transfer/details';
import { recoveryDetails } from '../../src/workflows/recovery';
import { webhookCheckDetails } from '../../src/workflows/webhook-check';
import { reconciliationDetails } from '../../src/workflows/reconciliation';
import { verificationDetails } from '../../src/workflows/verification/details';

const OPENED = Date.parse('2026-05-12T14:00:00Z');
const SENT = Date.parse('2026-05-12T14:00:02Z');
const ASKED = Date.parse('2026-05-12T14:03:07Z');
const iso = (ms: number): string => new Date(ms).toISOString();

const opened = initialState(4711, OPENED);

/** Sent once, asked once since. */
function sent(stage: TransferState['stage'], more: Partial<TransferState> = {}): TransferState {
  return {
    ...opened,
    orderSha256: 'f'.repeat(64),
    stage,
    sends: { ...opened.sends, count: 1, firstAtMs: SENT, lastAtMs: SENT },
    requests: { ...opened.requests, lastNumber: 2, lastEndedAtMs: ASKED, polls: 1, lastPolledAtMs: ASKED },
    ...more,
  };
}

const delayed = sent(
  { name: 'polling' },
  {
    bank: {
      ...{ ...opened.bank, status: 'DELAYED', lastStatus: 'DELAYED', statusSinceMs: SENT, found: true },
      ...{ movementId: '880011', networkId: 'N-1' },
    },
    history: [{ status: 'DELAYED', atMs: SENT }],
  },
);

const result: TransferResult = {
  ...{ originId: 4711, status: 'FAILED', movementId: '880011', network: 'COELSA', networkId: 'N-1' },
  ...{ amount: { currency: '032', value: '1500.25' }, annulmentId: 'a-1', decidedBy: 'bank', reason: null },
  orderSha256: 'f'.repeat(64),
};

const lines = (state: TransferState): string[] => currentDetails(state, iso).split('\n');

test('a delayed transfer: each item has its line, and nothing has to be done', () => {
  expect(lines(delayed)).toEqual([
    '**polling**',
    '',
    '- **waits for** the final status from the bank, which has the order',
    '- **since** 2026-05-12 14:00:02 UTC',
    '- **next** request to the bank 2026-05-12 14:13:37 UTC; asked once, last 2026-05-12 14:03:07 UTC',
    '- bank status: `DELAYED` since 2026-05-12 14:00:02 UTC',
    '- movement `880011`, network id `N-1`',
    '',
    'Nothing has to be done. You may:',
    '',
    '- signal `movementHint` `{"source":"…","eventId":"…"}`: ask the bank as soon as its last status allows',
  ]);
});

describe('an answer that is no match', () => {
  const doubtful = (reported?: { amount: string | null; currency: string | null }) =>
    lines({
      ...delayed,
      amount: { currency: '032', value: '1500.25' },
      bank: {
        ...delayed.bank,
        lastAnswer: {
          ...{ status: 'COMPLETED', movementId: '880011', network: null, networkId: null, number: 2 },
          ...{ postingAt: null, completedAt: null, echo: 'mismatch', evidenceSha256: '00', atMs: ASKED },
          echoFields: ['amount', 'destination.personId'],
          ...(reported === undefined ? {} : { reported }),
        },
      },
    });

  test('what was ordered and what is reported stand side by side', () => {
    expect(doubtful({ amount: '1600.00', currency: 'ARS' })).toEqual(
      expect.arrayContaining([
        '- last answer `COMPLETED`, echo mismatch: `amount`, `destination.personId`',
        '- amount ordered `1500.25`, reported `1600.00`; currency ordered `032`, reported `ARS`',
      ]),
    );
  });

  test('nothing readable is reported', () => {
    const nothing = '- amount ordered `1500.25`, reported `–`; currency ordered `032`, reported `–`';
    expect(doubtful({ amount: null, currency: null })).toContain(nothing);
    expect(doubtful()).toContain(nothing);
  });
});

test('a conflict with the journal: what the journal refuses, as long as the flag is open', () => {
  const reason = 'journal, record-result: giro: result COMPLETED refused: `two` ids';
  const conflict = { reason, cause: 'record-result GR002', isUnexplained: false };
  const refused = sent({ name: 'polling' }, { conflict, flags: { JOURNAL_CONFLICT: ASKED } });
  expect(lines(refused)).toContain(`- journal conflict: \`${reason.replaceAll('`', "'")}\``);
  expect(currentDetails({ ...refused, flags: {} }, iso)).not.toContain('journal conflict');
  expect(currentDetails({ ...refused, conflict: null }, iso)).not.toContain('journal conflict:');
});

test('before anything was sent it may be withdrawn', () => {
  const text = currentDetails({ ...opened, stage: { name: 'sending' } }, iso);
  expect(text).toContain('- **waits for** the bank to take the order\n- **since** 2026-05-12 14:00:00 UTC');
  expect(text).toContain('- **next** request to the bank, at once; asked 0 times, last never');
  expect(text).toContain('- *Request Cancellation*: WITHDRAWN');
  expect(currentDetails(delayed, iso)).not.toContain('Request Cancellation');
});

test('held unsent with a cancel requested: nothing is asked, and nothing is withdrawn', () => {
  const cancelled: TransferState = {
    ...opened,
    stage: { name: 'sending' },
    cancelRequestedAtMs: ASKED,
    requests: { ...opened.requests, lastNumber: 1, lastEndedAtMs: SENT },
  };
  expect(currentDetails(cancelled, iso)).toContain('- **next** the withdrawal is recorded');
  const held = currentDetails({ ...cancelled, flags: { JOURNAL_CONFLICT: ASKED } }, iso);
  expect(held).toContain('- **waits for** a decision. Nothing was sent, so the bank is not asked');
  expect(held).toContain('- **next** nothing is planned');
  expect(held).not.toContain('the withdrawal');
});

test.each<[string, TransferState, string]>([
  ['received', opened, 'the journal, to record the order'],
  ['looking-up', sent({ name: 'looking-up' }), 'the bank to report whether it took the order'],
  [
    'annulling',
    sent({ name: 'ending', result, evidenceNumber: 2, operators: [] }),
    'the journal, to record the annulment',
  ],
])('%s says what it waits for', (phase, state, waitsFor) => {
  expect(lines(state)[0]).toBe(`**${phase}**`);
  expect(lines(state)[2]).toContain(waitsFor);
});

test('ended: the result, who decided it, its annulment; and nothing to do', () => {
  const text = currentDetails(sent({ name: 'ended', result }), iso);
  expect(text).toMatch(
    /^\*\*FAILED\*\*, decided by the bank, annulment `a-1`\n\n- \*\*waits for\*\* nothing\n/,
  );
  expect(text).toContain('- **next** nothing is planned');
  expect(text).not.toContain('You may');
  const decided = { ...result, decidedBy: 'operators' } as const;
  expect(lines(sent({ name: 'ended', result: decided }))[0]).toContain('decided by two operators');
});

test.each(ATTENTION_REASONS.map((reason) => [reason] as const))(
  '%s: since when, and what it means',
  (reason) => {
    const flagged = sent({ name: 'looking-up' }, { flags: { [reason]: ASKED } });
    const text = currentDetails(flagged, iso);
    expect(text).toContain(`- ⚠ \`${reason}\` since 2026-05-12 14:03:07 UTC: ${REASON_SENTENCES[reason]}`);
    expect(text).toContain('\nYou may:\n');
    expect(text).toContain(
      '- update `decide` `{"originId":4711,"action":"resume","operator":"…","reason":"…"}` (one operator)',
    );
  },
);

test('held: since the first of the flags that hold it, whatever was flagged before', () => {
  const since = (flags: Partial<Record<AttentionReason, number>>) =>
    lines(sent({ name: 'looking-up' }, { flags }))[3];
  expect(since({ OPEN_TOO_LONG: SENT, ECHO_MISMATCH: ASKED })).toBe('- **since** 2026-05-12 14:03:07 UTC');
  expect(since({ OPEN_TOO_LONG: OPENED, VANISHED: ASKED, ECHO_MISMATCH: SENT })).toBe(
    '- **since** 2026-05-12 14:00:02 UTC',
  );
});

describe('an end that is being recorded', () => {
  const ending = (status: TransferResult['status'], more: Partial<TransferState> = {}): TransferState =>
    sent(
      {
        name: 'ending',
        result: { ...result, status },
        ...{ evidenceNumber: 2, operators: [], sinceMs: ASKED },
      },
      more,
    );

  test.each([
    ['FAILED', 'annulling', 'the annulment of a FAILED transfer'],
    ['COMPLETED', 'polling', 'the result COMPLETED'],
    ['REFUSED', 'looking-up', 'the result REFUSED'],
    ['WITHDRAWN', 'sending', 'the result WITHDRAWN'],
  ] as const)(
    '%s: the journal is waited for, since it is known, and nothing may be done',
    (status, phase, what) => {
      const text = lines(ending(status));
      expect(text.slice(0, 4)).toEqual([
        `**${phase}**`,
        '',
        `- **waits for** the journal, to record ${what}`,
        '- **since** 2026-05-12 14:03:07 UTC',
      ]);
      expect(text[4]).toMatch(
        `- **next** ${what} is recorded, with retries until the journal has it; asked once`,
      );
      expect(text.at(-1)).toBe('Nothing has to be done.');
      expect(text.join()).not.toContain('Request Cancellation');
    },
  );

  test('held by the journal: a person is waited for', () => {
    const text = lines(ending('COMPLETED', { flags: { JOURNAL_CONFLICT: SENT } }));
    expect(text[2]).toContain('a decision');
    expect(text[3]).toBe('- **since** 2026-05-12 14:00:02 UTC');
    expect(text[4]).toContain('request to the bank');
  });

  test('of a state that an earlier version handed on: since its last request', () => {
    const { stage, ...rest } = ending('FAILED');
    const { sinceMs: _, ...older } = stage as Extract<TransferState['stage'], { name: 'ending' }>;
    expect(lines({ ...rest, stage: older })[3]).toBe('- **since** 2026-05-12 14:03:07 UTC');
  });
});

test('the order, and a withdrawal, on their way into the journal', () => {
  expect(lines(opened)[4]).toContain('- **next** the order is recorded, with retries');
  const cancelled = { ...opened, stage: { name: 'sending' } as const, cancelRequestedAtMs: SENT };
  expect(lines(cancelled)[4]).toContain('- **next** the withdrawal is recorded, with retries');
});

test('text of people cannot become Markdown', () => {
  const stop = { at: iso(SENT), operator: 'ana', reason: '![x](http://evil) **now**' };
  const held: TransferState = {
    ...opened,
    stage: { name: 'sending' },
    sends: { ...opened.sends, heldBack: { stop, lookAgainAtMs: ASKED, times: 1 } },
    decisions: {
      ...opened.decisions,
      proposals: [
        {
          action: 'resend',
          operator: '`*x*`',
          reason: 'r',
          atMs: SENT,
          bankStatus: null,
          id: 'p',
        },
      ],
    },
  };
  const text = currentDetails(held, iso);
  expect(text).toContain(
    'sending is stopped since 2026-05-12 14:00:02 UTC by ana:   x (http://evil)   now  ',
  );
  expect(text).toContain(
    "- proposed by `'*x*'`, 2026-05-12 14:00:02 UTC: `resend`, waits for a second operator",
  );
});

describe('a verification', () => {
  const tracking = {
    ...initialVerification('req-1', OPENED),
    stage: { name: 'tracking' } as const,
    last: { status: 'Pendiente', meaning: 'pending' as const, statusDate: null, sinceMs: SENT },
    history: [{ status: 'Pendiente', atMs: SENT }],
  };

  test('says what it waits for, since when, and what may be done', () => {
    const text = verificationDetails(tracking, iso);
    expect(text).toContain('- **waits for** a status that means approved or rejected');
    expect(text).toContain('- **since** 2026-05-12 14:00:02 UTC');
    expect(text).toContain('Nothing has to be done. You may:');
    expect(text).toContain('- signal `verificationHint`');
  });

  test.each(VERIFICATION_REASONS.map((reason) => [reason] as const))('%s: since when', (reason) => {
    const text = verificationDetails({ ...tracking, flags: { [reason]: ASKED } }, iso);
    expect(text).toContain(`- ⚠ \`${reason}\` since 2026-05-12 14:03:07 UTC: `);
    expect(text).toContain('\nYou may:\n');
  });
});

test('a recovery: what it does, and what it found', () => {
  const verifications = { checked: 1, recovered: ['r-1'], refused: [], refusedInAll: 0, more: false };
  const report = { checked: 7, recovered: [4711], failed: [], failedInAll: 2, more: true, verifications };
  expect(recoveryDetails(null, iso(SENT))).toBe(
    [
      '**recovering**',
      '',
      '- **waits for** journal and engine, to find open transfers and verifications without a run',
      '- **since** 2026-05-12 14:00:02 UTC',
      '- **next** restart them',
      '',
      'Nothing has to be done: the schedule starts another recovery each minute.',
    ].join('\n'),
  );
  const text = recoveryDetails(report, iso(SENT));
  expect(text).toContain('- transfers: 7 checked, 1 restarted, 2 could not be restarted');
  expect(text).toContain('- verifications: 1 checked, 1 restarted, 0 could not be restarted');
  expect(text).toContain('- more are left to the next recovery');
  expect(text).toContain(
    'See the log of the workers for their ids; `giro recover --dry-run` checks them again.',
  );
  const quiet = { ...report, failedInAll: 0, more: false };
  expect(recoveryDetails(quiet, iso(SENT))).toMatch(/\n\nNothing has to be done\.$/);
});

test('a check of the subscriptions: what it does, and what it found', () => {
  expect(webhookCheckDetails(null, iso(SENT))).toContain('- **since** 2026-05-12 14:00:02 UTC');
  const findings = [{ eventType: 'transfer.done', standing: 'missing' }] as const;
  const found = webhookCheckDetails({ outcome: 'findings', findings }, iso(SENT));
  expect(found).toContain('- `transfer.done`: missing');
  expect(found).toContain('See `giro webhook list`');
  const failed = webhookCheckDetails({ outcome: 'no-answer', code: 'TIMEOUT', httpStatus: null }, iso(SENT));
  expect(failed).toContain('- the bank gave no readable answer: `TIMEOUT`');
  for (const outcome of ['as-expected', 'nothing-expected'] as const) {
    expect(webhookCheckDetails({ outcome }, iso(SENT))).toContain(`**${outcome}**`);
  }
});

describe('a reconciliation', () => {
  const asOf = '2026-05-12T14:00:00Z';

  test('at a step', () => {
    const text = reconciliationDetails({ at: 'step', asOf, step: 7 }, iso(SENT));
    expect(text).toMatch(/^\*\*comparing\*\*, as of 2026-05-12 14:00:00 UTC\n\n- \*\*waits for\*\* step 7/);
    expect(text).toContain('- **next** step 8');
  });

  test.each([
    ['CLEAN', 'Nothing has to be done.'],
    ['BREAKS', `See \`giro reconcile show ${asOf}\``],
    ['PARTIAL', `See \`giro reconcile show ${asOf}\``],
  ] as const)('ended %s', (outcome, says) => {
    const end = { asOf, outcome, breaksOpened: 2, breaksResolved: 1, notAskedCount: 0, notAsked: [] };
    const moment = { at: 'end', result: { ...end, totals: {} as never, chain: null } } as const;
    expect(reconciliationDetails(moment, iso(SENT))).toContain(says);
  });
});
