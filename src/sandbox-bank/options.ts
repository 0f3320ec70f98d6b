import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { SandboxRule, VerificationRule } from './rules/rule';
import type { TokenServiceOptions } from './server/token-service';

export interface SandboxBankOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** An IP address, default 127.0.0.1. */
  readonly host?: string;
  /** `true` (default): a certificate made at start, signed by a CA made at start; `false`: plain HTTP. */
  readonly tls?: boolean | SuppliedTls;
  /** Further names in the certificate made at start, besides localhost, 127.0.0.1 and ::1. */
  readonly dnsNames?: readonly string[];
  /**
   * Expected in `Authorization`, alone or after `Bearer `; a function is called at each request. Null (default): not
   * checked, except with a token service.
   */
  readonly token?: string | (() => string) | null;
  /** Serves tokens at `POST /oauth/token`; then only these tokens are valid. */
  readonly tokenService?: TokenServiceOptions | null;
  /** If given, every connection, even to `/sandbox`, must present a client certificate of this CA. Needs TLS. */
  readonly clientCaPem?: string | null;
  /** Checks the signatures of requests to signed services; null (default): not checked. */
  readonly verifySignature?: SignatureVerifier | null;
  /** Scenarios, default `DEFAULT_RULES`. Invalid rules throw `SandboxRulesInvalid`. */
  readonly rules?: readonly (SandboxRule | VerificationRule)[];
  /** Method of the verification query, default GET; the bank answers the other method with 405. */
  readonly verificationMethod?: 'GET' | 'POST';
  /** Logs one line for each request at level debug, without bodies and headers. */
  readonly logger?: Logger | null;
}

export interface SuppliedTls {
  readonly keyPem: string;
  readonly certPem: string;
  /** The authority that clients should trust, returned as the bank's `caPem`. */
  readonly caPem?: string | null;
}

/** True: the signature is valid. */
export type SignatureVerifier = (request: SignedRequest) => boolean | Promise<boolean>;

export interface SignedRequest {
  readonly method: string;
  /** `https://host[:port]` as the client named it. */
  readonly origin: string;
  /** Path and query as in the request line. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
