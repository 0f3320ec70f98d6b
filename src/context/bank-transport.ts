import type { BaseUrl } from '../bank/http/base-url';
import type { HttpTransport, HttpOutcome } from '../bank/http/http-outcome';
import { createHttpTransport } from '../bank/http/http-transport';
import type { TlsSource } from '../bank/credentials/tls-material';
import type { Logger } from '../telemetry/logger';
import { VERSION } from '../version';

export const USER_AGENT = `giro/${VERSION}`;

/** A transport that logs when a server seems to refuse our certificate. */
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

/**
 * Reports what is most likely a refused client certificate. Under TLS 1.3 the bank refuses it only after the
 * handshake, often when the request has been written: we see an alert, or only a closed connection. A closed
 * connection is reported only while no call has been answered, since afterwards it has other causes. Reported once,
 * until a call is answered again.
 */
function tellRefusedCertificate(transport: HttpTransport, onRefused: () => void): HttpTransport {
  let answered = false;
  let isReported = false;
  const look = (outcome: HttpOutcome): void => {
    if (outcome.kind === 'response' || outcome.head !== null) {
      answered = true;
      isReported = false;
      return;
    }
    const { failure, maybeWritten } = outcome;
    const looksLike = failure === 'TLS' || (failure === 'CONNECTION_LOST' && !answered);
    if (!looksLike || !maybeWritten || isReported) return;
    isReported = true;
    onRefused();
  };
  return {
    async send(request) {
      const outcome = await transport.send(request);
      look(outcome);
      return outcome;
    },
    close: () => transport.close(),
  };
}
