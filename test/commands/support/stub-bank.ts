import { ourBank } from '../../../src/bank/our-bank';
import type { VerificationBank } from '../../../src/bank/verifications/verification-port';
import type { BankClient } from '../../../src/bank/movements/port';
import type { WebhookBank } from '../../../src/bank/webhooks/webhook-port';
import type { Movement } from '../../../src/domain/movement';
import type { TransferOrder } from '../../../src/domain/order';

/**
 * A bank in this process that answers with the status in the order's description: `FAILED` or `DELAYED`, otherwise
 * COMPLETED.
 */
export interface StubBank extends BankClient, VerificationBank, WebhookBank {
  /** Bodies of creates, in order. */
  readonly creates: string[];
  lookups: number;
}

export function stubBank(): StubBank {
  const movements = new Map<string, Movement>();
  const evidenceSha256 = '0'.repeat(64);
  return {
    creates: [],
    lookups: 0,
    createBody: ourBank.movements.createBody,
    createTransfer(body) {
      this.creates.push(body);
      const order = JSON.parse(body) as Omit<TransferOrder, 'body'> & {
        readonly body: { readonly amount: number; readonly currencyId: string; readonly description: string };
      };
      const { description } = order.body;
      const movement: Movement = {
        id: String(order.originId),
        status: ['FAILED', 'DELAYED'].includes(description) ? description : 'COMPLETED',
        hasDetails: true,
        type: null,
        originId: String(order.originId),
        amount: String(order.body.amount),
        currency: order.body.currencyId,
        network: 'COELSA',
        networkId: `N${order.originId}`,
        postingAt: null,
        completedAt: null,
        destination: { address: order.to.address, personIds: [order.to.owner.personId] },
        source: { address: order.from.address, personIds: [order.from.owner.personId] },
      };
      movements.set(String(order.originId), movement);
      return Promise.resolve({ kind: 'answered', movement, evidenceSha256 });
    },
    getMovement(key) {
      this.lookups++;
      const movement = 'originId' in key ? movements.get(key.originId) : undefined;
      return Promise.resolve(
        movement === undefined ? { kind: 'not-found' } : { kind: 'movement', movement, evidenceSha256 },
      );
    },
    getVerification() {
      return Promise.resolve({ kind: 'not-found', retryAfterMs: null });
    },
    listWebhooks() {
      return Promise.resolve({ kind: 'subscriptions', subscriptions: [] });
    },
    unsubscribe() {
      return Promise.resolve({ kind: 'done' });
    },
    getRawMovement(key) {
      const known = 'originId' in key && movements.has(key.originId);
      return Promise.resolve(known ? { kind: 'raw', value: { operacion: 'x' } } : { kind: 'not-found' });
    },
  };
}
