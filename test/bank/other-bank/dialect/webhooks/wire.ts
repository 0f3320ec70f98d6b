import { z } from 'zod';
import type { WebhookDialect } from '../../../../../src/bank/dialect';

const avisos = z.object({
  avisos: z.array(z.object({ tipo: z.string(), url: z.string(), texto: z.string().nullable() })),
});

export const webhooks: WebhookDialect = {
  list: () => ({ method: 'GET', path: '/api/v1/avisos', query: '', body: null }),
  readSubscriptions: (json) =>
    avisos
      .safeParse(json)
      .data?.avisos.map(({ tipo, url, texto }) => ({ endpoint: url, eventType: tipo, info: texto })) ?? null,
  unsubscribe: (eventType) => ({
    ...{ method: 'POST', path: '/api/v1/avisos/baja', query: '' },
    body: JSON.stringify({ tipo: eventType }),
  }),
};
