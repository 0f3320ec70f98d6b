import { inquire } from '../activities/inquire';
import { reportHealth } from '../activities/with-permit';
import type { LookupReply, MovementKey } from '../bank/movements/port';
import type { Context } from '../context';
import type { DebitKey, DebitReply } from '../webhooks/confirm-debits';

/**
 * Asks the bank about a debit that nobody ordered, with the priority of reconciliations. The originId may belong to a
 * transfer of ours that is REFUSED or WITHDRAWN. Then this is an inquiry about an ended transfer, so that a
 * contradicting answer is an incident. Other ids belong to no transfer: nothing about such an inquiry is stored, so
 * forged notifications leave no trace.
 */
export const askAboutDebit =
  ({
    bank,
    journal,
    limiter,
    transferSettings: settings,
  }: Pick<
    Context<'bank' | 'journal' | 'transferSettings'>,
    'bank' | 'journal' | 'limiter' | 'transferSettings'
  >) =>
  async (key: DebitKey): Promise<DebitReply> => {
    const admission = await limiter.admit('reconciliation', { returning: false });
    if (admission.kind === 'deferred') return { kind: 'no-answer', afterMs: admission.afterMs };
    const { permit } = admission;
    const received = (reply: LookupReply): void => reportHealth(permit, reply);
    const plain = async (movementKey: MovementKey): Promise<DebitReply> => {
      const reply = await bank.getMovement(movementKey, { workflowTime: null, permit });
      received(reply);
      return debitReply(reply);
    };
    /** A movement found by the network's id may belong to a transfer whose own answers did not have that id yet. */
    const debitReply = async (reply: LookupReply): Promise<DebitReply> => {
      if (reply.kind !== 'movement') return toDebitReply(reply);
      const originId = Number(reply.movement.originId ?? NaN);
      const originIds = Number.isSafeInteger(originId) ? [originId] : [];
      const ours = await journal.transfersOf({ originIds, movementIds: [], networkIds: [] });
      const isOurs = ours.some(({ result }) => result !== 'REFUSED' && result !== 'WITHDRAWN');
      return { kind: 'movement', movement: reply.movement, isOurs };
    };
    try {
      if ('networkId' in key) return await plain(key);
      const { originId } = key;
      const ours = await journal.transfersOf({ originIds: [originId], movementIds: [], networkIds: [] });
      if (ours.length === 0) return await plain({ originId: String(originId) });
      const inquired = await inquire(
        { bank, journal, settings },
        { originId, askedBy: 'notified debit', asOf: null, lostAfter: null },
        { permit, received },
      );
      if (inquired.kind === 'asked') return await debitReply(inquired.reply);
      return { kind: 'no-answer', afterMs: inquired.kind === 'too-soon' ? inquired.waitMs : null };
    } finally {
      permit.release();
    }
  };

const toDebitReply = (reply: Exclude<LookupReply, { kind: 'movement' }>): DebitReply =>
  reply.kind === 'no-answer' ? { kind: 'no-answer', afterMs: null } : reply;
