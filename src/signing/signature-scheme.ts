import { signRequest } from './hmac';
import type { HmacScheme } from './hmac';
import { signMessage } from './message-signature';
import type { MessageScheme } from './message-signature';
import type { SignableRequest } from './signable-request';

/** How requests are signed: by a template from the configuration, or by the standard. */
export type SignatureScheme =
  | { readonly kind: 'template'; readonly template: HmacScheme }
  | { readonly kind: 'rfc9421'; readonly message: MessageScheme };

export const SCHEME_KINDS = ['template', 'rfc9421'] as const satisfies readonly SignatureScheme['kind'][];

/** The headers that carry the signature of one request. */
export function sign(
  scheme: SignatureScheme,
  secret: string,
  request: SignableRequest,
): Promise<Readonly<Record<string, string>>> {
  switch (scheme.kind) {
    case 'template':
      return Promise.resolve(signRequest(scheme.template, secret, request));
    case 'rfc9421':
      return signMessage(scheme.message, secret, request);
  }
}
