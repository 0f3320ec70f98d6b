import type { SignableRequest } from '../signing/signable-request';

/** One delivery as it came, before anything of it is read. */
export interface Delivery extends SignableRequest {
  /** A header that came once; null: none, or several. */
  readonly header: (name: string) => string | null;
}

export type Verification =
  /** `deliveryId`: the sender's own id of the delivery, covered by its signature; null: it has none. */
  { readonly ok: true; readonly deliveryId: string | null } | { readonly ok: false; readonly reason: string };

/** Judges raw deliveries that came to the secret path. */
export type DeliveryVerifier = (delivery: Delivery) => Verification;

/** `url-token`: whoever knows the secret path is the bank. */
export const acceptAll: DeliveryVerifier = () => ({ ok: true, deliveryId: null });
