import { createHmacVerifier } from '../signing/hmac';
import type { VerifierOptions } from '../signing/hmac';
import { splitTarget } from '../signing/signable-request';
import type { SignatureVerifier } from './options';

/** Signatures as the product makes them, judged by the same module: key, bytes, age and repeated nonces. */
export function hmacVerifier(options: VerifierOptions): SignatureVerifier {
  const verify = createHmacVerifier(options);
  return ({ method, origin, url, headers, body }) => {
    const header = (name: string) => {
      const value = headers[name.toLowerCase()];
      return typeof value === 'string' ? value : null;
    };
    return verify({ method, url: `${origin}${url}`, ...splitTarget(url), body }, header).ok;
  };
}
