import { verificationDetails } from '../../src/workflows/verification/details';
import {
  changedVerificationAttributes,
  verificationAttributes,
  verificationIndexEntry,
} from '../../src/workflows/verification/index-entry';
import { NOT_FOUND, PENDING, Tracked, error, status } from '../domain/verification/tracked';

/** What Temporal's index and UI show of a verification. */

const iso = (ms: number): string => new Date(ms).toISOString();
const changes = (...args: Parameters<typeof changedVerificationAttributes>) =>
  Object.fromEntries(changedVerificationAttributes(...args).map(({ key, value }) => [key.name, value]));

test('the index: the status, the most urgent flag, and only what has changed', () => {
  const tracked = new Tracked();
  const opened = verificationIndexEntry(tracked.state);
  expect(changes(null, opened)).toEqual({ GiroNeedsAttention: false, GiroOpenedAt: new Date(1_000_000) });
  tracked.ask(status('En duda'));
  const flagged = verificationIndexEntry(tracked.state);
  expect(changes(opened, flagged)).toEqual({
    ...{ GiroKycStatus: 'En duda', GiroAttentionReason: 'STATUS_UNKNOWN', GiroNeedsAttention: true },
  });
  tracked.ask(status('Aprobado', 'approved', { leftFinal: true }));
  expect(changes(flagged, verificationIndexEntry(tracked.state))).toEqual({
    ...{ GiroKycStatus: 'Aprobado', GiroAttentionReason: 'STATUS_LEFT_FINAL' },
  });
  tracked.ask(PENDING);
  const clear = new Tracked();
  clear.ask(PENDING);
  // An attribute without a value is unset, and is not carried into the next run.
  expect(changes(flagged, verificationIndexEntry(clear.state))).toEqual({
    ...{ GiroKycStatus: 'Pendiente', GiroAttentionReason: null, GiroNeedsAttention: false },
  });
  expect(verificationAttributes(verificationIndexEntry(clear.state)).map(({ key }) => key.name)).toEqual([
    ...['GiroKycStatus', 'GiroNeedsAttention', 'GiroOpenedAt'],
  ]);
});

test('the current details: what is waited for, what comes next, what is wrong, what may be done', () => {
  const tracked = new Tracked();
  for (const answer of [PENDING, NOT_FOUND, NOT_FOUND, NOT_FOUND, error('TIMEOUT')]) tracked.ask(answer);
  const details = verificationDetails(tracked.state, iso);
  expect(details).toMatch(/^\*\*tracking\*\*/);
  expect(details).toMatch(/next\*\* request to the bank .*; asked 5 times/);
  expect(details).toContain('bank status: `Pendiente`');
  expect(details).toContain('last request failed: `TIMEOUT`');
  expect(details).toMatch(/`REQUEST_NOT_FOUND` since .*: The bank knows no request with this id/);
  expect(details).toContain('signal `verificationHint`');

  const result = { requestId: 'r-1', outcome: 'rejected', status: 'Rechazado', statusDate: null } as const;
  tracked.ask({ kind: 'outcome', result });
  const ended = verificationDetails(tracked.state, iso);
  expect(ended).toMatch(/^\*\*rejected\*\*/);
  expect(ended).toContain('waits for** nothing');
  expect(ended).not.toMatch(/verificationHint|REQUEST_NOT_FOUND/);
});
