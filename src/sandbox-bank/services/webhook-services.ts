import { z } from 'zod';
import { outcome, respond, respondError, respondJson } from '../answers/answer';
import type { Subscriptions } from '../book/subscriptions';
import { invalidBody } from './service';
import type { BankService } from './service';

const unsubscribeSchema = z.strictObject({ notificationType: z.string().min(1).max(100) });

/**
 * Lists and removes subscriptions. They are created under `/sandbox/webhooks`, because the bank's service for that is
 * not published.
 */
export function webhookServices(subscriptions: Subscriptions): readonly BankService[] {
  const shared = { signed: false, originIdOf: () => null };
  return [
    {
      ...shared,
      name: 'get-webhooks',
      method: 'GET',
      path: '/external/api/get-webhooks',
      takesBody: false,
      answer: () =>
        outcome(
          'ok',
          respondJson(
            200,
            subscriptions.list().map(({ endpoint, eventType, info }) => ({ endpoint, eventType, info })),
          ),
        ),
    },
    {
      ...shared,
      name: 'webhooks-unsubscribe',
      method: 'POST',
      path: '/external/api/webhooks-unsubscribe',
      takesBody: true,
      answer(body) {
        const parsed = unsubscribeSchema.safeParse(body);
        if (!parsed.success) return invalidBody(parsed.error);
        if (!subscriptions.remove(parsed.data.notificationType))
          return outcome('not-found', respondError(404, 'NOT_SUBSCRIBED', 'No such subscription'));
        return outcome('ok', respond(200, 'text/plain', ''));
      },
    },
  ];
}
