import { isUtf8 } from 'node:buffer';
import type { SignableRequest } from '../signing/signable-request';
import { createHmacVerifier } from '../signing/hmac';
import type { HmacScheme } from '../signing/hmac';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** One raw delivery, before its content is read. */
export interface Delivery extends SignableRequest {
  /** A header that occurs once; null: missing, or repeated. */
  readonly header: (name: string) => string | null;
}

export type Verification =
  /** `deliveryId`: the sender's id of the delivery, covered by its signature; null: none. */
  { readonly ok: true; readonly deliveryId: string | null } | { readonly ok: false; readonly reason: string };

/** Verifies raw deliveries to the secret path. */
export type DeliveryVerifier = (delivery: Delivery) => Verification;

/** `url-token`: everyone who knows the secret path counts as the bank. */
export const acceptAll: DeliveryVerifier = () => ({ ok: true, deliveryId: null });

/**
 * Signatures by the template of `WEBHOOK_HMAC_*`. A repeated nonce is accepted: a sender that repeats until it gets 200
 * may repeat the identical request, and the inbox keeps one copy.
 */
export function hmacVerifier(scheme: HmacScheme, secrets: () => readonly string[]): DeliveryVerifier {
  const judge = createHmacVerifier({ scheme, secrets });
  return (delivery) => {
    const verdict = judge(delivery, delivery.header);
    return verdict.ok || verdict.reason === 'replayed'
      ? { ok: true, deliveryId: null }
      : { ok: false, reason: verdict.reason };
  };
}

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * Standard Webhooks (symmetric, `v1`), by their library, which limits the age to five minutes. All `secrets` are valid,
 * and are read at each delivery, so that a key can change without a gap. The library signs text and would change bytes
 * that are not UTF-8, so such bodies are refused.
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
