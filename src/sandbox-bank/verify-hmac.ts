import { createHmacVerifier } from '../signing/hmac';
import type { VerifierOptions } from '../signing/hmac';
import { createMessageVerifier } from '../signing/message-signature';
import type { MessageVerifierOptions } from '../signing/message-signature';
import { splitTarget } from '../signing/signable-request';
import type { SignableRequest } from '../signing/signable-request';
import type { SignatureVerifier, SignedRequest } from './options';

/** Verifies the product's signatures with the same module: key, bytes, age and repeated nonces. */
export function hmacVerifier(options: VerifierOptions): SignatureVerifier {
  const verify = createHmacVerifier(options);
  return (request) => verify(signableOf(request), headerOf(request)).ok;
}

/** The same for HTTP Message Signatures (RFC 9421). */
export function messageVerifier(options: MessageVerifierOptions): SignatureVerifier {
  const verify = createMessageVerifier(options);
  return async (request) => (await verify(signableOf(request), headerOf(request))).ok;
}

const signableOf = ({ method, origin, url, body }: SignedRequest): SignableRequest => ({
  ...{ method, body, url: `${origin}${url}` },
  ...splitTarget(url),
});

const headerOf =
  ({ headers }: SignedRequest) =>
  (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
