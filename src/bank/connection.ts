import type { RequestSigner } from './credentials/authorized-call';
import type { TlsSource } from './credentials/tls-material';
import type { TokenSource } from './credentials/token-source';
import type { BaseUrl } from './http/base-url';
import type { HttpTransport } from './http/http-outcome';

/** What every service of the bank is called through: one pool of sockets, one token, one set of certificates. */
export interface BankConnection {
  readonly baseUrl: BaseUrl;
  readonly transport: HttpTransport;
  readonly tokens: TokenSource;
  /** For creates and look-ups; null: not signed. */
  readonly signer: RequestSigner | null;
  /** What is in force now. */
  readonly tls: TlsSource;
  /** Further headers of every request (client ids and the like); they never replace those the client sets itself. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** Lets the calls under way end. */
  close(): Promise<void>;
}
