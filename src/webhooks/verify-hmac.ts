import { createHmacVerifier } from '../signing/hmac';
import type { HmacScheme } from '../signing/hmac';
import type { DeliveryVerifier } from './verify';

/**
 * Signatures by the template of `WEBHOOK_HMAC_*`. A nonce that came before is no reason to refuse: a sender that
 * repeats until it reads 200 may repeat the very request, and the inbox keeps one copy of it.
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
