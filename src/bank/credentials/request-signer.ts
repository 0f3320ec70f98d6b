import type { SignableRequest } from '../../signing/signable-request';

/** Returns the headers that carry the signature. Asked again for each repetition: a nonce counts once. */
export type RequestSigner = (request: SignableRequest) => Promise<Readonly<Record<string, string>>>;
