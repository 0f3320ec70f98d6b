import { isUtf8 } from 'node:buffer';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { DeliveryVerifier } from './verify';

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * Standard Webhooks (symmetric, `v1`), by their library, which bounds the age to five minutes. Any of `secrets` is
 * good; asked at each delivery, so that a key is changed without a gap. The library signs texts: bytes that are no UTF-8
 * would be other bytes to it than those that came, and are refused.
 */
export function standardVerifier(secrets: () => readonly string[]): DeliveryVerifier {
  return ({ body, header }) => {
    if (!isUtf8(body)) return { ok: false, reason: 'no-text' };
    const headers: Record<string, string> = {};
    for (const name of HEADERS) {
      const value = header(name);
      if (value === null) return { ok: false, reason: 'missing' };
      headers[name] = value;
    }
    for (const secret of secrets()) {
      try {
        new Webhook(secret).verify(body, headers, { jsonParse: false });
        return { ok: true, deliveryId: headers['webhook-id'] ?? null };
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
      }
    }
    return { ok: false, reason: 'wrong' };
  };
}
