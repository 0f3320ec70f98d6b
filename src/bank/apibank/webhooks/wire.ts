import { z } from 'zod';
import type { WebhookDialect } from '../../dialect';

const subscriptions = z.array(
  z.object({
    endpoint: z.string(),
    eventType: z.string(),
    info: z
      .string()
      .nullish()
      .transform((info) => info ?? null),
  }),
);

export const webhooks: WebhookDialect = {
  list: () => ({ method: 'GET', path: '/external/api/get-webhooks', query: '', body: null }),
  readSubscriptions: (json) => subscriptions.safeParse(json).data ?? null,
  unsubscribe: (eventType) => ({
    ...{ method: 'POST', path: '/external/api/webhooks-unsubscribe', query: '' },
    body: JSON.stringify({ notificationType: eventType }),
  }),
};
