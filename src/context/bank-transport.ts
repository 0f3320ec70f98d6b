import type { BaseUrl } from '../bank/http/base-url';
import type { HttpTransport } from '../bank/http/http-outcome';
import { createHttpTransport } from '../bank/http/http-transport';
import { tellRefusedCertificate } from '../bank/http/refused-certificate';
import type { TlsSource } from '../bank/credentials/tls-material';
import type { Logger } from '../telemetry/logger';
import { VERSION } from '../version';

export const USER_AGENT = `giro/${VERSION}`;

/** A transport that says in the log when a server seems to refuse our certificate. */
export function openTransport(
  baseUrl: BaseUrl,
  tls: TlsSource,
  maxSockets: number,
  logger: Logger,
): HttpTransport {
  const transport = createHttpTransport({ baseUrl, tls, maxSockets });
  if (!baseUrl.tls) return transport;
  return tellRefusedCertificate(transport, () => {
    const variable = 'BANK_CLIENT_CERT_FILE';
    const remedy =
      tls().client === null
        ? `set ${variable} and BANK_CLIENT_KEY_FILE, if the bank wants them`
        : `has the bank registered the certificate of ${variable}?`;
    logger.warn(
      { origin: baseUrl.origin, remedy },
      'the connection was closed after the request was written, without an answer: under TLS 1.3 that is how a server refuses a missing or unknown client certificate; `giro doctor` tells more',
    );
  });
}
