import { createTransfer } from '../../src/activities/create-transfer';
import type { TransferActivityContext } from '../../src/activities/context';
import { withdrawTransfer } from '../../src/activities/withdraw-transfer';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import type { ClaimInDoubt, ClaimedRequest } from '../../src/journal/port';

const REQUEST = {
  ...{ originId: 4711, number: 1, runId: 'run-1', lateMs: 0, returning: false },
  workflowTime: '2026-01-05T10:00:00.000Z',
};

/** A bank that must not be reached, behind a journal that says what it is told to. */
function steps(inDoubt: ClaimInDoubt, claim: ClaimedRequest) {
  const asked: string[] = [];
  const context = {
    bank: {
      createTransfer: () => {
        throw new Error('it was sent');
      },
    },
    journal: {
      claimInDoubt: () => (asked.push('in doubt'), Promise.resolve(inDoubt)),
      claimRequest: () => (asked.push('claim'), Promise.resolve(claim)),
    },
    gate: { enter: () => (asked.push('gate'), Promise.resolve({ kind: 'later', afterMs: 9 })) },
    settings: DEFAULT_TRANSFER_SETTINGS,
  } as unknown as TransferActivityContext;
  return { context, asked };
}

const HELD_BACK: ClaimedRequest = { kind: 'held-back', stop: { at: '', operator: 'ana', reason: 'r' } };

test('a second try whose claim the journal has lost is neither sent, nor held back, nor deferred to be sent', async () => {
  for (const lastNumber of [0, 1]) {
    const { context, asked } = steps({ kind: 'lost', lastNumber }, HELD_BACK);
    const outcome = await createTransfer(context, () => 2)(REQUEST);
    expect(outcome).toEqual({ kind: 'out-of-order', lastNumber, perhapsSent: true });
    expect(asked).toEqual(['in doubt']);
  }
});

test('a first try, and one that the journal knows, pass the gate as ever', async () => {
  for (const [attempt, order] of [
    [1, ['gate']],
    [2, ['in doubt', 'gate']],
  ] as const) {
    const { context, asked } = steps({ kind: 'known' }, HELD_BACK);
    expect(await createTransfer(context, () => attempt)(REQUEST)).toEqual({ kind: 'deferred', afterMs: 9 });
    expect(asked).toEqual(order);
  }
});

test('a withdrawal beside a create that a restored journal may have forgotten comes too late', async () => {
  const { context, asked } = steps({ kind: 'lost', lastNumber: 1 }, HELD_BACK);
  const withdraw = withdrawTransfer(context);
  expect(await withdraw({ ...REQUEST, besideCreate: true })).toEqual({ kind: 'too-late' });
  expect(asked).toEqual(['in doubt']);
});
