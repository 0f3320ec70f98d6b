import type { HmacScheme } from '../../src/signing/hmac';
import { readTemplate } from '../../src/signing/hmac-template';
import type { HmacTemplate } from '../../src/signing/hmac-template';
import { splitTarget } from '../../src/signing/signable-request';
import type { SignableRequest } from '../../src/signing/signable-request';

export function template(text: string): HmacTemplate {
  const read = readTemplate(text);
  if (!read.ok) throw new Error(read.reason);
  return read.template;
}

/** The contract's defaults, with another content and other changes. */
export const scheme = (content: string, rest: Partial<HmacScheme> = {}): HmacScheme => ({
  header: 'X-Signature',
  hash: 'sha256',
  encoding: 'hex',
  prefix: '',
  timestampHeader: 'X-Timestamp',
  nonceHeader: 'X-Nonce',
  ...rest,
  content: template(content),
});

export function request(body: string, target = '/', method = 'POST'): SignableRequest {
  return {
    method,
    url: `https://bank.example${target}`,
    ...splitTarget(target),
    body: Buffer.from(body),
  };
}
