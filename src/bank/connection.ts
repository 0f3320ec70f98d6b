import type { RequestSigner } from './credentials/authorized-call';
import type { TlsSource } from './credentials/tls-material';
import type { TokenSource } from './credentials/token-source';
import type { BaseUrl } from './http/base-url';
import type { HttpTransport } from './http/http-outcome';

/** Shared by the calls of all services: one pool of sockets, one token, one set of certificates. */
export interface BankConnection {
  readonly baseUrl: BaseUrl;
  readonly transport: HttpTransport;
  readonly tokens: TokenSource;
  /** For creates and look-ups; null: not signed. */
  readonly signer: RequestSigner | null;
  /** The certificates and keys in force. */
  readonly tls: TlsSource;
  /** Further headers of every request (client ids and the like). They never replace headers that the client sets. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** Waits for the calls in flight. */
  close(): Promise<void>;
}
