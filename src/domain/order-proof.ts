/**
 * The form of an order's proof: a detached compact JWS (RFC 7515 appendix F), `header..signature`. The header holds
 * `alg` `EdDSA` and `kid`, nothing else. `src/order-proofs` verifies the signature.
 */
const FORM = /^([A-Za-z0-9_-]{1,255})\.\.([A-Za-z0-9_-]{86})$/;

/** Names a service; sent in clear with each order of the service. */
export const PROOF_KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
export const PROOF_KEY_ID_RULE = 'must be 1 to 64 letters, digits, dots, dashes or underscores';

export const PROOF_RULE =
  'must be a detached JWS, header..signature, whose header has "alg":"EdDSA" and "kid" (letters, digits, ._-), and no other member';

/** The id of the key that a proof names; null: the text does not have the form of a proof. */
export function proofKeyId(proof: unknown): string | null {
  const [, header = '', signature = ''] = (typeof proof === 'string' && FORM.exec(proof)) || [];
  if (!isCanonical(header) || !isCanonical(signature)) return null;
  let members: unknown;
  try {
    members = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  if (typeof members !== 'object' || members === null || Object.keys(members).length !== 2) return null;
  const { alg, kid } = members as { readonly alg?: unknown; readonly kid?: unknown };
  return alg === 'EdDSA' && typeof kid === 'string' && PROOF_KEY_ID.test(kid) ? kid : null;
}

/** Whether the text is the only base64url text of its bytes: it has no spare bits at the end. */
const isCanonical = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text;
