import { claimInquiry, inquire } from '../../src/activities/inquire';
import type { InquiryContext } from '../../src/activities/inquire';
import { InquiryThrottle } from '../../src/activities/reconciliation/inquiry-throttle';
import { createBankLimiter } from '../../src/bank/limiter/limiter';
import type { LookupReply } from '../../src/bank/movements/port';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ORDER } from '../bank/fixtures';

const NOT_FOUND: LookupReply = { kind: 'not-found' };
const GONE: LookupReply = {
  kind: 'no-answer',
  error: { code: 'CONNECTION_REFUSED', httpStatus: null, retryAfterMs: null },
};

/** It refuses to record the answer, although the bank was asked. */
const journalThatRefuses = (as: 'inquiry' | 'request'): InquiryContext['journal'] => ({
  claimInquiry: () =>
    Promise.resolve({ ...{ kind: 'claimed', number: 3, as, result: null, claimAgeMs: 1 }, order: ORDER }),
  recordInquiry: () => Promise.reject(new Error('refused')),
  recordAnswer: () => Promise.reject(new Error('refused')),
});

test.each([
  ['request', NOT_FOUND, 'good'],
  ['request', GONE, 'bad'],
  ['inquiry', NOT_FOUND, 'good'],
  ['inquiry', GONE, 'bad'],
] as const)('an answer (%s) that the journal refuses: the breaker knows of it', async (as, reply, health) => {
  const limiter = createBankLimiter({ maxRps: 0, pollActiveMs: 5_000 });
  const throttle = new InquiryThrottle(limiter, { hasGivenUpBefore: false, pollActiveMs: 5_000 });
  const context = {
    bank: { getMovement: () => Promise.resolve(reply) },
    journal: journalThatRefuses(as),
    settings: DEFAULT_TRANSFER_SETTINGS,
  };
  const inquiry = { originId: 4711, askedBy: 'reconciliation-x', asOf: null, lostAfter: 2 };
  await new MockActivityEnvironment().run(() =>
    expect(throttle.ask((call) => inquire(context, inquiry, call))).rejects.toThrow('refused'),
  );
  expect(limiter.reach().last).toMatchObject({ health });
});

test('a request without an answer may have left 7 s after its claim, and taken its whole time-out', async () => {
  const claims: unknown[] = [];
  const journal = {
    claimInquiry: (claim: unknown) => (claims.push(claim), Promise.resolve({ kind: 'open' as const })),
  };
  const settings = { ...DEFAULT_TRANSFER_SETTINGS, createTimeoutMs: 30_000, lookupTimeoutMs: 5_000 };
  const inquiry = { originId: 4711, askedBy: 'test', asOf: null, lostAfter: null };
  await claimInquiry({ journal, settings }, inquiry);
  expect(claims).toMatchObject([{ ...inquiry, createMaxMs: 37_000, lookupMaxMs: 12_000 }]);
});
