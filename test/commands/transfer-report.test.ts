import { transferReport, unseenView, viewFromJournal } from '../../src/commands/support/transfer-report';
import type { Incident } from '../../src/journal/statements/incidents';
import type { TransferRecord } from '../../src/journal/statements/transfer-records';

const at = '2026-01-31T12:00:00.000Z';

const record = (parts: Partial<TransferRecord>): TransferRecord => ({
  ...unseenView(1, null),
  reference: null,
  orderSha256: 'sha',
  amount: null,
  openedAt: at,
  phase: 'sending',
  network: null,
  attempts: [],
  orderKeyId: null,
  decisions: [],
  result: null,
  annulment: null,
  incidents: [],
  archiveSha256: null,
  ...parts,
});

const attempt = (outcome: TransferRecord['attempts'][number]['outcome']) => [{ number: 1, at, outcome }];

describe('the view from the journal', () => {
  test('is a view, without what only a record has', () => {
    expect(viewFromJournal(record({ phase: 'received' }))).toEqual(unseenView(1, 'sha'));
  });

  test('a live view wins over the journal, whose durable part stays', () => {
    const live = {
      ...viewFromJournal(record({})),
      phase: 'polling' as const,
      polls: 7,
      cancelRequested: true,
    };
    const report = transferReport(record({ reference: 'r', attempts: attempt('answered') }), live);
    expect(report).toMatchObject({
      live: true,
      phase: 'polling',
      polls: 7,
      cancelRequested: true,
      reference: 'r',
    });
    expect(report.attempts).toHaveLength(1);
    expect(transferReport(record({}), null)).toMatchObject({
      live: false,
      phase: 'sending',
      status: null,
      proposals: [],
    });
  });
});

describe('a run that knows less than the journal', () => {
  const ended = record({
    phase: 'ended',
    bankStatus: 'COMPLETED',
    movementId: '7',
    polls: 7,
    lastPolledAt: at,
  });

  test('one that was started after the end: it has only the result', () => {
    const live = { ...unseenView(1, 'sha'), phase: 'ended' as const };
    expect(transferReport(ended, live)).toMatchObject({
      ...{ live: false, bankStatus: 'COMPLETED', movementId: '7', polls: 7, lastPolledAt: at },
    });
  });

  test.each([null, 'other'])('one with the order %s', (orderSha256) => {
    const held = record({ needsAttention: true, attentionReasons: ['OUTCOME_UNKNOWN'], phase: 'held' });
    expect(transferReport(held, unseenView(1, orderSha256))).toMatchObject({
      ...{ live: false, phase: 'held', needsAttention: true, orderSha256: 'sha' },
    });
  });

  test('the run that ended it knows as much', () => {
    expect(transferReport(ended, { ...viewFromJournal(ended), polls: 8 })).toMatchObject({
      live: true,
      polls: 8,
    });
  });
});

describe('a final that the bank contradicts', () => {
  const incident: Incident = {
    id: '00000000-0000-4000-8000-000000000001',
    originId: 1,
    fact: 'COMPLETED_THEN_FAILED',
    sentence: 's',
    finalStatus: 'COMPLETED',
    bankStatus: 'FAILED',
    movementId: '7',
    networkId: null,
    evidenceSha256: null,
    at,
    acknowledged: null,
  };
  const acknowledged = { ...incident, acknowledged: { operator: 'ana', note: 'n', at } };

  test('needs attention until each of its incidents is acknowledged', () => {
    expect(transferReport(record({ incidents: [acknowledged, incident] }), null)).toMatchObject({
      needsAttention: true,
      attentionReasons: ['FINAL_CONTRADICTED'],
    });
    expect(transferReport(record({ incidents: [acknowledged] }), null)).toMatchObject({
      needsAttention: false,
      attentionReasons: [],
      incidents: [acknowledged],
    });
  });
});
