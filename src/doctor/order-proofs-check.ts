import { createJournal } from '../journal/create-journal';
import type { KeyRing } from '../codec/key-ring';
import type { Journal } from '../journal/journal';
import type { SendablePage } from '../journal/statements/sendable-orders';
import { judgeProof } from '../order-proofs/order-proof';
import type { OrderSigner } from '../order-proofs/order-signers';
import { well, wrong } from './check-result';
import type { Check, Judgement } from './check-result';
import { roleOfLogin, withoutAnswer } from './journal-checks';

/** Open transfers that the journal reads at a time; it takes some 30 ms for them. */
const PAGE = 1_000;
const IDS_SHOWN = 5;

interface SignedOrders {
  readonly databaseUrl: string;
  readonly keyRing: KeyRing | null;
  /** Null: orders are not signed. */
  readonly signers: readonly OrderSigner[] | null;
}

/**
 * Counts the orders that may still be sent (for the first time or again) and that workers with this
 * `ORDER_SIGNERS_FILE` would hold. Run it before workers have the file: at zero you can switch it on without a gap.
 */
export const orderProofsCheck = ({ databaseUrl, keyRing, signers }: SignedOrders): Check => ({
  name: 'order-proofs',
  async run() {
    if (signers === null) return well('orders are not signed (ORDER_SIGNERS_FILE is not set)');
    try {
      const identity = await roleOfLogin(databaseUrl);
      const { journal, close } = createJournal(databaseUrl, { poolMax: 1, identity, keyRing });
      try {
        return await judgeSendable(journal, signers);
      } finally {
        await close();
      }
    } catch (error) {
      return withoutAnswer(error, databaseUrl);
    }
  },
});

async function judgeSendable(
  journal: Pick<Journal, 'sendableOrders'>,
  signers: readonly OrderSigner[],
): Promise<Judgement> {
  const unproven: number[] = [];
  let first = 0;
  let repeats = 0;
  for (let after: number | null = 0; after !== null;) {
    const page: SendablePage = await journal.sendableOrders({ after, limit: PAGE });
    for (const { originId, isRepeat, order, proof, openedAt: receivedAt } of page.orders) {
      if (isRepeat) repeats += 1;
      else first += 1;
      const isGood = order !== null && (await judgeProof(signers, { order, proof, receivedAt })) === null;
      if (!isGood) unproven.push(originId);
    }
    after = page.next;
  }
  const counts = `keys that may give orders: ${signers.length}; orders not sent yet: ${first}, that may be sent again: ${repeats}`;
  if (unproven.length === 0) return well(`${counts}; each with a good proof`);
  const shown = unproven.slice(0, IDS_SHOWN).join(', ');
  const more = unproven.length > IDS_SHOWN ? ', …' : '';
  return wrong(
    `${counts}; without a good proof: ${unproven.length} (${shown}${more})`,
    'before workers have ORDER_SIGNERS_FILE: wait until they are sent and found, or cancel those that are not sent (docs/signatures.md); after: they are held as ORDER_TAMPERED',
  );
}
