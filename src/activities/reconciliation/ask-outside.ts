import { lookupAnswer } from '../../bank/movements/lookup-answer';
import type { BankLook } from '../../reconciliation/books';
import type { Asker } from './asker';
import type { ReconciliationContext } from './context';
import { lookOf } from './look-of';
import { orNotRecorded } from './or-not-recorded';

/**
 * Asks about an originId that the journal does not know. No request number stands for it, so that the question has a
 * claim of its own: the bank's cadence holds over all runs and workers, and a step that is repeated asks nobody again.
 */
export async function askOutside(
  { bank, journal, settings }: ReconciliationContext,
  asker: Asker,
  originId: number,
  asOf: string,
): Promise<BankLook> {
  const asked = await orNotRecorded(() =>
    asker.ask<BankLook>(async (told) => {
      const claim = await journal.claimOutside({
        ...{ originId, asOf, gapMs: settings.pollActiveMs },
        ...{ delayedGapMs: settings.pollDelayedMs, timeoutMs: settings.lookupTimeoutMs },
      });
      if (claim.kind === 'too-soon') return { kind: 'not-asked', reason: 'TOO_SOON' };
      if (claim.kind === 'heard') return lookOf(claim.answer, 'asked', claim.at);
      const reply = await bank.getMovement({ originId: String(originId) }, { workflowTime: null });
      told(reply);
      const answer = lookupAnswer(null, reply);
      await journal.recordOutsideAnswer({ originId, number: claim.number, answer });
      return lookOf(answer, 'asked', new Date().toISOString());
    }),
  );
  return asked.kind === 'asked' ? asked.said : asked;
}
