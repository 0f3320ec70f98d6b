import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { SandboxRule, VerificationRule } from './rules/rule';
import type { TokenServiceOptions } from './server/token-service';

export interface SandboxBankOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** An IP address, default 127.0.0.1. */
  readonly host?: string;
  /** `true` (default): a certificate made at start, signed by a CA made at start; `false`: plain HTTP. */
  readonly tls?: boolean | SuppliedTls;
  /** Further names in the certificate made at start, besides localhost, 127.0.0.1 and ::1. */
  readonly dnsNames?: readonly string[];
  /**
   * Expected in `Authorization`, alone or after `Bearer `; a function is called at each request. Null (default): not
   * checked, unless there is a token service.
   */
  readonly token?: string | (() => string) | null;
  /** Serves tokens at `POST /oauth/token`; then only those are valid. */
  readonly tokenService?: TokenServiceOptions | null;
  /** With it every connection, those to `/sandbox` too, must show a client certificate of this CA. Needs TLS. */
  readonly clientCaPem?: string | null;
  /** Checks the signature of the services that are signed; null (default): not checked. */
  readonly verifySignature?: SignatureVerifier | null;
  /** Scenarios, default `DEFAULT_RULES`. Anything wrong in them: `SandboxRulesInvalid`. */
  readonly rules?: readonly (SandboxRule | VerificationRule)[];
  /** Method of the verification query, default GET; the other one is answered 405. */
  readonly verificationMethod?: 'GET' | 'POST';
  /** One line a request at level debug; no line holds a body or a header. */
  readonly logger?: Logger | null;
}

export interface SuppliedTls {
  readonly keyPem: string;
  readonly certPem: string;
  /** The authority that clients should trust, returned as the bank's `caPem`. */
  readonly caPem?: string | null;
}

/** True: the signature is good. */
export type SignatureVerifier = (request: SignedRequest) => boolean | Promise<boolean>;

export interface SignedRequest {
  readonly method: string;
  /** `https://host[:port]` as the client named it. */
  readonly origin: string;
  /** Path and query as they stood in the request line. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
